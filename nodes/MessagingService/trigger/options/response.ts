import {
	fromParameter,
	type INodeProperties,
	type IWebhookDescription,
	webhookDescriptionFields,
} from 'n8n-workflow';
import { isReadNatively } from '../native';

const DEFAULT_STATUS = 200;

/** The status that an accepted call is answered with. It is a member of the collection `options`. */
export const responseCode: INodeProperties = {
	displayName: 'Response Code',
	name: 'responseCode',
	type: 'number',
	typeOptions: { minValue: 200, maxValue: 299 },
	default: DEFAULT_STATUS,
	description: 'HTTP status code of the response',
};

type Description = Pick<IWebhookDescription, 'responseCode' | 'responseData'>;

const TEMPLATE = `={{$parameter["options"]["responseCode"] || ${DEFAULT_STATUS}}}`;

/**
 * What n8n answers with: the status from the options of the trigger, and the body that `receive` gives.
 *
 * There is no parameter `responseData`: without this entry, n8n would answer with a word of its own instead of the
 * body.
 */
export const response: Description = isReadNatively
	? webhookDescriptionFields({
			responseCode: {
				template: TEMPLATE,
				resolve: ({ options }) =>
					Number(Reflect.get(Object(options), responseCode.name)) || DEFAULT_STATUS,
			},
			responseData: fromParameter('responseData'),
		})
	: { responseCode: TEMPLATE, responseData: '={{$parameter["responseData"]}}' };
