import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';
import { PanelValues } from '../../../nodes/MessagingService/panel/values';
import { readSettings, type Settings } from '../../../nodes/MessagingService/trigger/settings';
import { fake } from '../helpers/fake';

/** The panel of a trigger with these parameters, the others as they are by default. */
export function panelWith(parameters: IDataObject): PanelValues {
	return PanelValues.ofTrigger(
		fake<IWebhookFunctions>({
			getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
			getTimezone: () => 'UTC',
		}),
	);
}

/** The settings of such a trigger. */
export function settingsWith(parameters: IDataObject): Settings {
	return readSettings(panelWith(parameters));
}
