import type { IDataObject } from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../../nodes/MessagingService/MessagingServiceTrigger.node';
import { PanelValues } from '../../../nodes/MessagingService/panel/values';
import { readSettings, type Settings } from '../../../nodes/MessagingService/trigger/settings';
import type { IncomingCall } from '../../../nodes/MessagingService/trigger/verification/call';

const { properties } = new MessagingServiceTrigger().description;

const defaults = Object.fromEntries(properties.map(({ name, default: value }) => [name, value]));

/** These parameters, and the others as n8n fills them in. */
export function parametersWith(parameters: IDataObject): Record<string, unknown> {
	return { ...defaults, ...parameters };
}

/** The settings of a trigger with these parameters. */
export function settingsWith(parameters: IDataObject, secrets = ['c2VjcmV0']): Settings {
	return readSettings(PanelValues.of(parametersWith(parameters)), secrets);
}

/** Verifies calls as such a trigger does. The names of headers may be written as in documentation. */
export function verifierWith(parameters: IDataObject, secrets: string[]) {
	const { verification } = settingsWith(parameters, secrets);
	return ({ headers = {}, query = {}, rawBody }: Partial<IncomingCall>, now: number) => {
		const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
		const sent = Object.fromEntries(lowered.filter(([, value]) => value !== undefined));
		if (!verification) throw new Error('Nothing is verified');
		return verification.verify({ headers: sent, query, rawBody }, now);
	};
}
