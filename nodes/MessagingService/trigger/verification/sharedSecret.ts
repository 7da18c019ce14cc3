import { createHash, timingSafeEqual } from 'crypto';
import { asObject } from '../../api/json';
import { dropdown, type Field } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { describeOthers, headerOf, readHeaderName, type Verification } from './call';

const IN_HEADER = 'header';
const IN_QUERY = 'query';

const secretLocationField = dropdown({
	displayName: 'Secret Location',
	name: 'secretIn',
	default: IN_HEADER,
	description: 'Where the service puts the secret',
	displayOptions: { show: { verification: ['sharedSecret'] } },
	options: [
		{ name: 'Header', value: IN_HEADER },
		{
			name: 'Query Parameter',
			value: IN_QUERY,
			description: 'At the end of the address. For services that cannot set headers.',
		},
	],
});

const headerNameField: Field = {
	displayName: 'Header Name',
	name: 'headerName',
	type: 'string',
	default: 'X-Webhook-Secret',
	description:
		'Header in which the service sends the secret. In "Authorization", it may be preceded by "Bearer".',
	displayOptions: {
		show: { verification: ['sharedSecret'], [secretLocationField.name]: [IN_HEADER] },
	},
};

const parameterNameField: Field = {
	displayName: 'Parameter Name',
	name: 'parameterName',
	type: 'string',
	default: 'secret',
	description: 'Query parameter in which the service sends the secret',
	hint: 'Add to the address at the service: ?, this name, = and the secret (letters and digits)',
	displayOptions: {
		show: { verification: ['sharedSecret'], [secretLocationField.name]: [IN_QUERY] },
	},
};

export const sharedSecretFields: Field[] = [
	secretLocationField,
	headerNameField,
	parameterNameField,
];

/**
 * Reads in which header or query parameter calls carry the secret.
 *
 * @throws {Problem} when that is an unknown place.
 */
export function readSharedSecret(values: PanelValues): Verification {
	const isInQuery = values.choice(secretLocationField) === IN_QUERY;
	const name = isInQuery
		? values.text(parameterNameField)
		: readHeaderName(values, headerNameField);
	const where = `${isInQuery ? IN_QUERY : IN_HEADER} "${name}"`;
	return {
		createVerifier: (secret) => (call) => {
			const given = isInQuery ? asObject(call.query)[name] : headerOf(call.headers, name);
			if (typeof given !== 'string' || given === '') {
				const missing = `no secret in the ${where}`;
				return isInQuery ? missing : `${missing}; ${describeOthers(call.headers)}`;
			}
			const readings = isInQuery ? readQuery(given) : readHeader(given);
			if (readings.some((reading) => isSame(reading, Buffer.from(secret)))) return undefined;
			return `the secret in the ${where} does not match that of the credential`;
		},
		hasSecretInQuery: isInQuery,
	};
}

/** The possible readings of a header, byte by byte as it came: Node.js decodes it as Latin-1. */
function readHeader(value: string): Buffer[] {
	return [value, value.replace(/^Bearer +/i, '')].map((text) => Buffer.from(text, 'latin1'));
}

/** The possible readings of a parameter: a plus sign that was not encoded arrives as a space. */
function readQuery(value: string): Buffer[] {
	return [value, value.replaceAll(' ', '+')].map((text) => Buffer.from(text));
}

/** Whether two values are the same, in constant time. Their digests always have equal lengths. */
function isSame(given: Buffer, secret: Buffer): boolean {
	const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
	return timingSafeEqual(digest(given), digest(secret));
}
