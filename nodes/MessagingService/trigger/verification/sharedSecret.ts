import { asObject } from '../../api/json';
import { dropdown, type Field, showWhen, textField } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { describeMissing, headerOf, isSame, onlyOne, type Verification } from './call';

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

export const sharedSecretFields: Field[] = [
	...showWhen({ verification }, secretLocationField),
	...showWhen({ verification, secretIn: ['header'] }, headerNameField),
	...showWhen({ verification, secretIn: ['query'] }, parameterNameField),
];

/**
 * Reads in which header or query parameter calls carry one of the secrets.
 *
 * @throws {Problem} when that is an unknown place.
 */
export function readSharedSecret(values: PanelValues, secrets: readonly string[]): Verification {
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
