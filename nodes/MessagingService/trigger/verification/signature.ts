import { createHmac } from 'crypto';
import { quote, quoteAll } from '../../api/text';
import { readTime } from '../../api/time';
import { dropdown, type Field, type NumberField, showWhen, textField } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { Problem } from '../../words/problem';
import { describeMissing, headerOf, isSame, type Verification } from './call';

const schemeField = dropdown({
	displayName: 'Scheme',
	name: 'scheme',
	default: 'hmac',
	description: 'How your service signs',
	options: [
		{ name: 'HMAC', value: 'hmac', description: 'Enter below what your service documents' },
		{
			name: 'Standard Webhooks',
			value: 'standardWebhooks',
			description: 'For services that send a header webhook-signature or svix-signature',
		},
	],
});

const signatureHeaderField = textField(
	'Signature Header',
	'signatureHeader',
	'Header with the signature',
	{ default: 'X-Signature' },
);

const algorithmField = dropdown({
	displayName: 'Algorithm',
	name: 'algorithm',
	default: 'sha256',
	description: 'The hash function of the HMAC',
	options: [
		{ name: 'SHA-1', value: 'sha1' },
		{ name: 'SHA-256', value: 'sha256' },
		{ name: 'SHA-512', value: 'sha512' },
	],
});

const encodingField = dropdown({
	displayName: 'Encoding',
	name: 'encoding',
	default: 'hex',
	description: 'How the signature is written. Base64 may be the URL-safe one.',
	options: [
		{ name: 'Base64', value: 'base64' },
		{ name: 'Hexadecimal', value: 'hex' },
	],
});

const prefixField = textField('Prefix', 'prefix', 'Text before the signature in its header', {
	placeholder: 'e.g. sha256=',
});

const BODY = '{body}';
const TIME = '{timestamp}';
const ID = '{id}';

const signedContentField = textField(
	'Signed Content',
	'signedContent',
	`What the service signs: ${BODY} stands for the body, and ${TIME} for the value of Timestamp Header`,
	{
		default: BODY,
		placeholder: `e.g. ${TIME}.${BODY}`,
		advice: `${TIME} has to be there if "Timestamp Header" is filled in. If your service does not sign the body, or signs more than that, choose another "Verification".`,
	},
);

const timestampHeaderField = textField(
	'Timestamp Header',
	'timestampHeader',
	'Header that says when the call was sent, where that is signed, too',
	{ placeholder: 'e.g. X-Timestamp' },
);

const toleranceField: NumberField = {
	displayName: 'Tolerance',
	name: 'tolerance',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	description: 'By how many seconds the time of a call may differ from the clock of n8n; 0 for any',
};

const verification = ['signature'];

export const signatureFields: Field[] = [
	...showWhen({ verification }, schemeField),
	...showWhen(
		{ verification, scheme: ['hmac'] },
		signatureHeaderField,
		algorithmField,
		encodingField,
		prefixField,
		signedContentField,
		timestampHeaderField,
		toleranceField,
	),
];

/**
 * Reads how calls are signed with one of the secrets.
 *
 * @throws {Problem} when a setting or a secret cannot be used, or when a signature would match any body, or none.
 */
export function readSignature(values: PanelValues, secrets: readonly string[]): Verification {
	const scheme = values.choice(schemeField) === 'hmac' ? readHmac(values) : STANDARD_WEBHOOKS;
	const keys = secrets.map(scheme.keyOf);
	const { idHeader } = scheme;
	return { verify: verifierOf(scheme, keys), signedIdHeaders: idHeader === '' ? [] : [idHeader] };
}

/** How a service signs. */
type Scheme = ReturnType<typeof readHmac>;

function readHmac(values: PanelValues) {
	const prefix = values.text(prefixField);
	const timestampHeader = values.text(timestampHeaderField);
	const settings = [algorithmField, encodingField, prefixField, signedContentField];
	return {
		signatureHeader: values.text(signatureHeaderField),
		/** Empty when no time is signed. */
		timestampHeader,
		/** Empty when no ID is signed. */
		idHeader: '',
		/** What stands before the body in what is signed, and behind it. */
		around: readSignedContent(values, timestampHeader !== ''),
		/** Seconds that the time of a call may be away from the clock; any where it is 0. */
		tolerance: values.integer(toleranceField),
		algorithm: values.choice(algorithmField),
		encoding: values.choice(encodingField),
		prefix,
		/** The signatures behind the prefix. One of them has to be right. */
		findSignatures: (header: string): string[] =>
			header.startsWith(prefix) ? [header.slice(prefix.length).trim()] : [],
		/** The key of the HMAC. Throws a Problem when the secret is not written as the scheme wants it. */
		keyOf: (secret: string): Buffer => Buffer.from(secret),
		/** What to check when no signature is right. */
		advice: `check the webhook secret in the credential, ${quoteAll(settings.map(({ displayName }) => displayName))}`,
	};
}

/** Reads the signed content: the text before the body, and behind it. */
function readSignedContent(values: PanelValues, hasTime: boolean): string[] {
	const content = values.text(signedContentField);
	const found = (content.match(/\{[^{}]*\}/g) ?? []).sort().join(' and ');
	const wanted = hasTime ? `${BODY} and ${TIME}` : BODY;
	if (found !== wanted) {
		const words = `${quote(signedContentField.displayName)} has to have ${wanted} once, and no more`;
		values.fail(words, signedContentField.advice);
	}
	return content.split(BODY);
}

/** See https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md. */
const STANDARD_WEBHOOKS: Scheme = {
	signatureHeader: 'webhook-signature',
	timestampHeader: 'webhook-timestamp',
	idHeader: 'webhook-id',
	around: [`${ID}.${TIME}.`, ''],
	tolerance: toleranceField.default,
	algorithm: 'sha256',
	encoding: 'base64',
	prefix: 'v1,',
	// Between signatures there is a space, or a comma where a header that came twice was made one.
	findSignatures: (header) =>
		[...header.matchAll(/(?<![^\s,])v1,([^\s,]+)/g)].map(([, signature]) => signature),
	keyOf(secret) {
		const [, base64] =
			/^(?:v1,)?(?:whsec_)?((?:[a-z\d+/]{4})*[a-z\d+/]{2,4}={0,2})$/i.exec(secret) ?? [];
		if (base64 !== undefined) return Buffer.from(base64, 'base64');
		throw new Problem(
			'The webhook secret in the credential is not in Base64, as Standard Webhooks has it',
			'Copy the whole secret again from your service, or empty "Previous Webhook Secret" if it is that one.',
		);
	},
	advice: 'check the webhook secret in the credential',
};

/** Makes what says why a call was not signed with one of the keys. */
function verifierOf(scheme: Scheme, keys: readonly Buffer[]): Verification['verify'] {
	const { signatureHeader, timestampHeader, idHeader, encoding, advice } = scheme;
	return ({ headers, rawBody: body }, now) => {
		const missing = [signatureHeader, timestampHeader, idHeader].find(
			(name) => name !== '' && headerOf(headers, name) === '',
		);
		if (missing !== undefined) return describeMissing(missing, headers);
		if (!body) return 'the body cannot be read, so its signature cannot be verified';

		const [time, id] = [timestampHeader, idHeader].map((name) => headerOf(headers, name));
		const untimely = timestampHeader && reasonToRefuseTime(time, scheme.tolerance, now);
		if (untimely) return untimely;
		const signatures = scheme.findSignatures(headerOf(headers, signatureHeader));
		if (signatures.length === 0) {
			return `no signature in the header "${signatureHeader}" begins with "${scheme.prefix}": ${advice}`;
		}
		const [before, after] = scheme.around.map((part) =>
			part.replace(TIME, time).replace(ID, () => id),
		);
		const expected = keys.map((key) => {
			const hmac = createHmac(scheme.algorithm, key).update(before).update(body).update(after);
			return normalize(hmac.digest(encoding), encoding);
		});
		const isRight = (signature: string) =>
			expected.some((digest) => isSame(normalize(signature, encoding), digest));
		if (!signatures.some(isRight)) return `the signature does not match: ${advice}`;

		// What is signed is one text: whoever has recorded a call could divide it anew, so that it looks like another one.
		if (id.includes('.')) return `the header "${idHeader}" has a dot, which divides what is signed`;
		const [first, last] = [body.at(0), body.at(-1)].map((byte) => String.fromCharCode(byte ?? 0));
		const besideTime = [before.slice(-1) + first, last + after.slice(0, 1)];
		return timestampHeader && besideTime.some((pair) => /^\d\d$/.test(pair))
			? `the body has a digit beside the time in ${quote(signedContentField.displayName)}`
			: undefined;
	};
}

/** A signature as it is compared: as a text, since as bytes, several texts would be the same. */
function normalize(signature: string, encoding: Scheme['encoding']): string {
	if (encoding === 'hex') return signature.toLowerCase();
	const standard = signature.replaceAll('-', '+').replaceAll('_', '/');
	return standard.replace(/={1,2}$/, '');
}

/**
 * A whole number, a date of ISO 8601 with its time zone, or one of HTTP. No part of one is another time: or somebody could
 * move the rest of it into the body, so that an old call looks new.
 */
const WHOLE_TIME =
	/^(?:[1-9]\d*|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)|[a-z]{3}, [\w ]+ [\d:]+ (?:GMT|UTC))$/i;

/** Why a call with this time is refused; undefined when it is within the tolerance, in seconds. */
function reasonToRefuseTime(time: string, tolerance: number, now: number): string | undefined {
	const age = WHOLE_TIME.test(time) ? (now - readTime(time)) / 1_000 : NaN;
	if (!Number.isFinite(age)) {
		return `the time has to be a whole number or a date with its time zone, and is ${quote(time)}`;
	}
	if (tolerance === 0 || Math.abs(age) <= tolerance) return undefined;
	const seconds = `${Math.ceil(Math.abs(age))} seconds`;
	const distance = age > 0 ? 'behind that of n8n, or the call is old' : 'ahead of that of n8n';
	return `the clock of the service is ${seconds} ${distance}: n8n has ${new Date(now).toISOString()}, and tolerates ${tolerance} seconds`;
}
