import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../../../../nodes/MessagingService/words/problem';
import {
	checkSecrets,
	readVerification,
	reasonToRefuse,
} from '../../../../nodes/MessagingService/trigger/verification';
import type {
	IncomingCall,
	Verification,
} from '../../../../nodes/MessagingService/trigger/verification/call';
import { panelWith } from '../panel';

/** A call of the trigger. The names of its headers may be written as in documentation. */
export function callWith({ headers = {}, query = {}, rawBody }: Partial<IncomingCall>) {
	const present = Object.entries(headers).filter(([, value]) => value !== undefined);
	const lowered = present.map(([name, value]) => [name.toLowerCase(), value]);
	return { headers: Object.fromEntries(lowered), query, rawBody };
}

/** Verification as the panel with these parameters sets it. */
export function verificationWith(parameters: IDataObject): Verification {
	const verification = readVerification(panelWith(parameters));
	if (!verification) throw new Error('Nothing is verified');
	return verification;
}

/** Why the secrets of a credential cannot be used; undefined when they can. */
export function problemWith(...args: Parameters<typeof checkSecrets>): string | undefined {
	return wordsOf(() => void checkSecrets(...args));
}

/** Why a call is refused, or cannot be verified; undefined when it may pass. */
export function refusal(...args: Parameters<typeof reasonToRefuse>): string | undefined {
	return wordsOf(() => reasonToRefuse(...args));
}

/** What something returns, or the message of its problem. */
function wordsOf(work: () => string | undefined): string | undefined {
	try {
		return work();
	} catch (error) {
		if (error instanceof Problem) return error.message;
		throw error;
	}
}
