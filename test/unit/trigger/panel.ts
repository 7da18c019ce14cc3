import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { PanelValues } from '../../../nodes/MessagingService/panel/parameters';
import { readOptions, type TriggerOptions } from '../../../nodes/MessagingService/trigger/options';
import { fake } from '../helpers/fake';

/** The panel of a trigger with these parameters, the others as they are by default. */
export function panelWith(parameters: IDataObject): PanelValues {
	return PanelValues.ofTrigger(
		fake<IWebhookFunctions>({
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		}),
	);
}

/** The options of a trigger, those that are left out as they are by default. */
export function optionsWith(options: IDataObject): TriggerOptions {
	return readOptions(panelWith({ options }));
}
