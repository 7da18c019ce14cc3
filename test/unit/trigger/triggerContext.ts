import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import type { TriggerContext } from '../../../nodes/MessagingService/trigger/settings';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

/** A trigger with these parameters, that is switched on or called. */
export function triggerWith(parameters: IDataObject): TriggerContext {
	return fake<IWebhookFunctions>({
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getNode: () => nodeWith(),
	});
}
