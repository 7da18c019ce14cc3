import type { IDataObject } from 'n8n-workflow';
import { readVerification } from '../../../../nodes/MessagingService/trigger/verification';
import type { IncomingCall } from '../../../../nodes/MessagingService/trigger/verification/call';
import { failureOf } from '../../helpers/parameters';
import { panelWith } from '../panel';

/** A call of the trigger. The names of its headers may be written as in documentation. */
export function callWith({ headers = {}, query = {}, rawBody }: Partial<IncomingCall>) {
	const present = Object.entries(headers).filter(([, value]) => value !== undefined);
	const lowered = present.map(([name, value]) => [name.toLowerCase(), value]);
	return { headers: Object.fromEntries(lowered), query, rawBody };
}

/** Verifies calls as the panel with these parameters says. */
export function verifierWith(parameters: IDataObject, secrets: string[]) {
	const verification = readVerification(panelWith(parameters), secrets);
	if (!verification) throw new Error('Nothing is verified');
	return (call: IncomingCall, now: number) => verification.verify(call, now);
}

/** What keeps a trigger with these parameters and secrets from being published. */
export function problemWith(parameters: IDataObject, secrets = ['secret']): string {
	return failureOf(() => verifierWith(parameters, secrets)).message;
}
