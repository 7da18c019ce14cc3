import { asObject } from '../../api/json';
import { dropdown, type Field, showWhen, textField } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { Problem } from '../../words/problem';
import { describeMissing, headerOf, isSame, onlyOne, type Verification } from './call';
import { readSignature, signatureFields } from './signature';

const verificationField = dropdown({
	displayName: 'Verification',
	name: 'verification',
	default: 'sharedSecret',
	description:
		'How a call proves, by the "Webhook Secret" of the credential, that it comes from your messaging service',
	options: [
		{
			name: 'None',
			value: 'none',
			description: 'Anyone who knows the address can start this workflow',
		},
		{ name: 'Shared Secret', value: 'sharedSecret', description: 'Each call has the secret in it' },
		{ name: 'Signature', value: 'signature', description: 'The service signs each call with it' },
	],
});

const secretLocationField = dropdown({
	displayName: 'Secret Location',
	name: 'secretIn',
	default: 'header',
	description: 'Where the service puts the secret: in the query if it cannot set headers',
	options: [
		{ name: 'Header', value: 'header' },
		{ name: 'Query Parameter', value: 'query' },
	],
});

const headerNameField = textField(
	'Header Name',
	'headerName',
	'Header with the secret, which may follow "Bearer"',
	{ default: 'X-Webhook-Secret' },
);

const parameterNameField = textField(
	'Parameter Name',
	'parameterName',
	'Query parameter with the secret. At the service, add it to the address, such as ?secret=YOUR_SECRET, with letters and digits only.',
	{ default: 'secret' },
);

const verification = ['sharedSecret'];

/** How a call has to prove that it comes from the service. */
export const verificationFields: Field[] = [
	verificationField,
	...showWhen({ verification }, secretLocationField),
	...showWhen({ verification, secretIn: ['header'] }, headerNameField),
	...showWhen({ verification, secretIn: ['query'] }, parameterNameField),
	...signatureFields,
];

/**
 * Reads how calls are verified; undefined when they need not be.
 *
 * @param secrets those of the credential, one of which a call has to prove, the current one first
 * @throws {Problem} when there is no secret, when one or a setting cannot be used, or when any body would be accepted.
 */
export function readVerification(
	values: PanelValues,
	secrets: readonly string[],
): Verification | undefined {
	const kind = values.choice(verificationField);
	if (kind === 'none') return undefined;
	// An empty one would be a secret that everybody knows.
	if (secrets.length === 0) {
		throw new Problem(
			'Enter a "Webhook Secret" in the credential, and try again',
			'Anyone who knows the address could start this workflow.',
		);
	}
	return kind === 'signature' ? readSignature(values, secrets) : readSharedSecret(values, secrets);
}

/**
 * Reads in which header or query parameter calls carry one of the secrets.
 *
 * @throws {Problem} when that is an unknown place.
 */
function readSharedSecret(values: PanelValues, secrets: readonly string[]): Verification {
	const isInQuery = values.choice(secretLocationField) === 'query';
	const name = values.text(isInQuery ? parameterNameField : headerNameField);
	return {
		verify({ headers, query }) {
			const given = isInQuery ? onlyOne([asObject(query)[name]].flat()) : headerOf(headers, name);
			if (!given) return isInQuery ? `no parameter "${name}"` : describeMissing(name, headers);
			// A plus sign that was not encoded arrives as a space.
			const other = isInQuery ? given.replaceAll(' ', '+') : given.replace(/^Bearer +/i, '');
			// Node.js gives each byte of a header as one character.
			const bytes = (text: string) => Buffer.from(text, isInQuery ? 'utf8' : 'latin1');
			const fits = (secret: string) =>
				[given, other].some((reading) => isSame(bytes(reading), secret));
			return secrets.some(fits)
				? undefined
				: `the secret in "${name}" does not match that of the credential`;
		},
		hasSecretInQuery: isInQuery,
	};
}
