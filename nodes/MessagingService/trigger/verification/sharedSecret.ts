import { asObject } from '../../api/json';
import { dropdown, type Field, showWhen, textField } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { describeMissing, headerOf, isSame, onlyOne, type Verification } from './call';

const secretLocationField = dropdown({
	displayName: 'Secret Location',
	name: 'secretIn',
	default: 'header',
	description: 'Where the service puts the secret',
	options: [
		{ name: 'Header', value: 'header' },
		{
			name: 'Query Parameter',
			value: 'query',
			description: 'At the end of the address. For services that cannot set headers.',
		},
	],
});

const headerNameField = textField(
	'Header Name',
	'headerName',
	'Header in which the service sends the secret. In "Authorization", it may be preceded by "Bearer".',
	{ default: 'X-Webhook-Secret' },
);

const parameterNameField = textField(
	'Parameter Name',
	'parameterName',
	'Query parameter in which the service sends the secret. At the service, add it to the end of the address, such as ?secret=YOUR_SECRET, with letters and digits only.',
	{ default: 'secret' },
);

const verification = ['sharedSecret'];

export const sharedSecretFields: Field[] = [
	...showWhen({ verification }, secretLocationField),
	...showWhen({ verification, secretIn: ['header'] }, headerNameField),
	...showWhen({ verification, secretIn: ['query'] }, parameterNameField),
];

/**
 * Reads in which header or query parameter calls carry the secret.
 *
 * @throws {Problem} when that is an unknown place.
 */
export function readSharedSecret(values: PanelValues): Verification {
	const isInQuery = values.choice(secretLocationField) === 'query';
	const name = values.text(isInQuery ? parameterNameField : headerNameField);
	return {
		createVerifier: (secret) => (call) => {
			const given = isInQuery
				? onlyOne([asObject(call.query)[name]].flat())
				: headerOf(call.headers, name);
			if (!given) {
				return isInQuery ? `no parameter "${name}"` : describeMissing(name, call.headers);
			}
			// A plus sign that was not encoded arrives as a space.
			const other = isInQuery ? given.replaceAll(' ', '+') : given.replace(/^Bearer +/i, '');
			// Node.js gives each byte of a header as one character.
			const bytes = (text: string) => Buffer.from(text, isInQuery ? 'utf8' : 'latin1');
			if ([given, other].some((reading) => isSame(bytes(reading), secret))) return undefined;
			return `the secret in "${name}" does not match that of the credential`;
		},
		hasSecretInQuery: isInQuery,
	};
}
