import { createHmac, createPrivateKey, sign as signWith } from 'node:crypto';

import type { Misbehaviour, Signing } from './settings.ts';

/** What is added to a delivery to prove where it comes from. */
interface Proof {
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
	if (signing.kind === 'none' || misbehaviour.signature === 'missing') {
		return { headers: {}, query: {} };
	}
	const isWrong = misbehaviour.signature === 'wrong';
	if (signing.kind === 'sharedSecret') {
		const key = isWrong ? `not-${secret}` : secret;
		const named = { [signing.sharedSecretName]: signing.prefix + key };
		return signing.sharedSecretIn === 'header'
			? { headers: named, query: {} }
			: { headers: {}, query: named };
	}
	const { timestampHeader, prefix, signatureHeader } = signing;
	const timestamp = writeTime(now - misbehaviour.timestampAgeS * 1000, signing);
	const headers = timestampHeader === null ? {} : { [timestampHeader]: timestamp };
	const content = Buffer.from(fillTemplate(signing, { body, timestamp }));
	const signature = makeSignature(
		isWrong ? Buffer.concat([content, content]) : content,
		secret,
		signing,
	);
	const written = prefix + signature.toString(signing.encoding);
	return { headers: { ...headers, [signatureHeader]: written }, query: {} };
}

function makeSignature(content: Buffer, secret: string, { algorithm, keyFormat }: Signing): Buffer {
	switch (algorithm) {
		case 'ed25519':
			return signWith(null, content, createPrivateKey(secret));
		case 'ecdsaP256':
			return signWith('sha256', content, createPrivateKey(secret));
		default:
			return createHmac(algorithm, Buffer.from(secret, keyFormat)).update(content).digest();
	}
}

function writeTime(time: number, { timestampFormat }: Signing): string {
	switch (timestampFormat) {
		case 'unixSeconds':
			return String(Math.floor(time / 1000));
		case 'unixMilliseconds':
			return String(time);
		case 'iso':
			return new Date(time).toISOString();
	}
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
