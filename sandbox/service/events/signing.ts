import { createHmac } from 'node:crypto';

import type { Misbehaviour, Signing } from './settings.ts';

/** What is added to a delivery to prove where it comes from. */
export interface Proof {
	headers: Record<string, string>;
	query: Record<string, string>;
}

interface Unsigned {
	/** The body exactly as it is sent. */
	body: string;
	secret: string;
	/** Milliseconds since 1970. */
	now: number;
	misbehaviour: Pick<Misbehaviour, 'signature' | 'timestampAgeS'>;
}

/** Signs a body in the way of the settings, wrongly if it is to be wrong. */
export function sign({ body, secret, now, misbehaviour }: Unsigned, signing: Signing): Proof {
	const key = misbehaviour.signature === 'wrong' ? `not-${secret}` : secret;
	if (signing.kind === 'none' || misbehaviour.signature === 'missing') {
		return { headers: {}, query: {} };
	}
	if (signing.kind === 'sharedSecret') {
		const named = { [signing.sharedSecretName]: key };
		return signing.sharedSecretIn === 'header'
			? { headers: named, query: {} }
			: { headers: {}, query: named };
	}
	const timestamp = String(Math.floor(now / 1000) - misbehaviour.timestampAgeS);
	const { timestampHeader, algorithm, encoding, prefix, signatureHeader } = signing;
	const headers = timestampHeader === null ? {} : { [timestampHeader]: timestamp };
	const signed = fillTemplate(signing, { body, timestamp });
	const hmac = createHmac(algorithm, key).update(signed).digest(encoding);
	return { headers: { ...headers, [signatureHeader]: prefix + hmac }, query: {} };
}

/** One pass, so that a body in which `{timestamp}` is written stays as it is. */
function fillTemplate(
	{ template, timestampHeader }: Signing,
	values: { body: string; timestamp: string },
): string {
	const usual = timestampHeader === null ? '{body}' : '{timestamp}.{body}';
	return (template ?? usual).replace(
		/\{(body|timestamp)\}/g,
		(_match, name: 'body' | 'timestamp') => (name === 'body' ? values.body : values.timestamp),
	);
}
