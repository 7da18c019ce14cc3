import type { IDataObject } from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { PanelValues } from '../../../nodes/MessagingService/panel/values';
import { readSettings, type Settings } from '../../../nodes/MessagingService/trigger/settings';

const { properties } = new MessagingServiceTrigger().description;

const defaults = Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));

/** These parameters, and the others as n8n fills them in. */
export function parametersWith(parameters: IDataObject): Record<string, unknown> {
	return { ...defaults, ...parameters };
}

/** The panel of a trigger with these parameters. */
export function panelWith(parameters: IDataObject): PanelValues {
	return PanelValues.of(parametersWith(parameters));
}

/** The settings of such a trigger. */
export function settingsWith(parameters: IDataObject): Settings {
	return readSettings(panelWith(parameters), ['c2VjcmV0']);
}
