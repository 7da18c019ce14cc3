import {
	type INodeProperties,
	type IWebhookDescription,
	webhookDescriptionFields,
} from 'n8n-workflow';
import { isReadNatively } from '../native';
import { type Choice, dropdown, type PanelValues } from '../panelValues';

/** Where a challenge is, and how it is sent back. */
export interface Challenge {
	/** Name of the query parameter, or path of the field of the body. */
	name: string;
	asJson: boolean;
}

/** How a service is answered that checks the address before it uses it. */
export type AddressCheck =
	| { kind: 'off' | 'any' }
	| (Challenge & { kind: 'body' })
	| (Challenge & { kind: 'query'; tokenParameter: string });

interface Kind extends Choice {
	/** What n8n lets through for it, beside POST. */
	methods: string;
	read(values: PanelValues): AddressCheck;
}

const challengeParameter: INodeProperties = {
	displayName: 'Challenge Parameter',
	name: 'challengeParameter',
	type: 'string',
	default: 'hub.challenge',
	description: 'Query parameter in which the service sends the challenge',
	...when('query'),
};

const verifyTokenParameter: INodeProperties = {
	displayName: 'Verify Token Parameter',
	name: 'verifierParameter',
	type: 'string',
	default: 'hub.verify_token',
	description:
		'Query parameter in which the service sends the verify token. The token must be the "Verify Token" of the credential. If the credential has none, a check with a token is refused.',
	...when('query'),
};

const challengeField: INodeProperties = {
	displayName: 'Challenge Field',
	name: 'challengeField',
	type: 'string',
	default: 'challenge',
	description:
		'Field of the body in which the service sends the challenge. A call with this field is verified like any other, and never starts the workflow.',
	...when('body'),
};

const challengeAnswer = dropdown(
	{
		displayName: 'Challenge Answer',
		name: 'challengeAnswer',
		default: 'text',
		description: 'How the service expects its challenge back',
		...when('body', 'query'),
	},
	[
		{
			name: 'JSON',
			value: 'json',
			description: 'An object with the challenge under the name that it came with',
		},
		{ name: 'Text', value: 'text', description: 'The challenge and nothing else' },
	],
);

const isJson = (values: PanelValues) => values.choice(challengeAnswer).value === 'json';

const KINDS: Kind[] = [
	{
		name: 'Any GET or HEAD',
		value: 'any',
		description: 'Answers every GET and HEAD request with status 200',
		methods: 'GET,HEAD',
		read: () => ({ kind: 'any' }),
	},
	{
		name: 'Challenge in Body',
		value: 'body',
		description: 'Sends back the challenge in the body of a POST request, as Slack needs it',
		methods: '',
		read: (values) => ({
			kind: 'body',
			name: values.text(challengeField),
			asJson: isJson(values),
		}),
	},
	{
		name: 'Challenge in Query Parameter',
		value: 'query',
		description: 'Sends back the challenge at the end of the address, as Meta needs it',
		methods: 'GET',
		read: (values) => ({
			kind: 'query',
			name: values.text(challengeParameter),
			tokenParameter: values.text(verifyTokenParameter),
			asJson: isJson(values),
		}),
	},
	{
		name: 'Off',
		value: 'off',
		description: 'The service does not check the address',
		methods: '',
		read: () => ({ kind: 'off' }),
	},
];

const addressCheck = dropdown(
	{
		displayName: 'Address Check',
		name: 'addressCheck',
		default: 'off',
		description:
			'How to answer a service that checks the address before it uses it. A check never starts the workflow.',
	},
	KINDS,
);

export const addressCheckFields: INodeProperties[] = [
	addressCheck.field,
	challengeParameter,
	verifyTokenParameter,
	challengeField,
	challengeAnswer.field,
];

/**
 * Reads how an address check is answered.
 *
 * @throws {Problem} when it is set to something unknown.
 */
export function readAddressCheck(values: PanelValues): AddressCheck {
	return values.choice(addressCheck).read(values);
}

// The editor and older versions of n8n need the template. It gives no method, and so no webhook, for the rest.
const TEMPLATE = `={{${KINDS.filter(({ methods: each }) => each !== '').reduceRight(
	(rest, { value, methods: each }) =>
		`$parameter["addressCheck"] === "${value}" ? "${each}" : ${rest}`,
	'""',
)}}}`;

/**
 * The methods, beside POST, that n8n lets through: none as long as no address check needs them, so that n8n
 * answers with 404.
 */
export const methods: Pick<IWebhookDescription, 'httpMethod'> = isReadNatively
	? webhookDescriptionFields({
			httpMethod: {
				template: TEMPLATE,
				resolve: ({ addressCheck: chosen }) =>
					KINDS.find(({ value }) => value === chosen)?.methods ?? '',
			},
		})
	: { httpMethod: TEMPLATE };

function when(...kinds: string[]): Pick<INodeProperties, 'displayOptions'> {
	return { displayOptions: { show: { addressCheck: kinds } } };
}
