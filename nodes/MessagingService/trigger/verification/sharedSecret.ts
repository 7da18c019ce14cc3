import { createHash, timingSafeEqual } from 'crypto';
import type { INodeProperties } from 'n8n-workflow';
import { asObject } from '../../api/json';
import type { PanelValues } from '../../panel/parameters';
import { dropdown } from '../../panel/dropdown';
import { listHeaders, type Verification } from './call';

const IN_HEADER = 'header';
const IN_QUERY = 'query';

const LOCATIONS = [
	{ name: 'Header', value: IN_HEADER },
	{
		name: 'Query Parameter',
		value: IN_QUERY,
		description: 'At the end of the address. For services that cannot set headers.',
	},
];

const secretLocationField = dropdown({
	displayName: 'Secret Location',
	name: 'secretIn',
	default: IN_HEADER,
	description: 'Where the service puts the secret',
	displayOptions: { show: { verification: ['sharedSecret'] } },
	entries: LOCATIONS,
});

const headerNameField: INodeProperties = {
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

const parameterNameField: INodeProperties = {
	displayName: 'Parameter Name',
	name: 'parameterName',
	type: 'string',
	default: 'secret',
	description: 'Query parameter in which the service sends the secret',
	hint: 'Add it to the address that you enter at the service: ?secret=…, with your secret',
	displayOptions: {
		show: { verification: ['sharedSecret'], [secretLocationField.name]: [IN_QUERY] },
	},
};

export const sharedSecretFields: INodeProperties[] = [
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
	const isInQuery = values.choice(secretLocationField, LOCATIONS).value === IN_QUERY;
	const name = values.textOf(isInQuery ? parameterNameField : headerNameField);
	const part = isInQuery ? 'query' : 'headers';
	const key = isInQuery ? name : name.toLowerCase();
	const where = `${isInQuery ? IN_QUERY : IN_HEADER} "${name}"`;
	return {
		createVerifier: (secret) => (call) => {
			const given = asObject(call[part])[key];
			if (given === '') return `the ${where} is empty`;
			if (typeof given !== 'string') {
				const others = isInQuery ? '' : `; other headers that came: ${listHeaders(call.headers)}`;
				return `no secret in the ${where}${others}`;
			}
			const readings = isInQuery ? readQuery(given) : readHeader(given);
			if (readings.some((reading) => isSameText(reading, secret))) return undefined;
			return `the secret in the ${where} does not match that of the credential`;
		},
		secretAt: { part, name: key },
	};
}

/** The possible readings of a header. Node.js decodes it as Latin-1, although most senders write UTF-8. */
function readHeader(value: string): string[] {
	return [value, value.replace(/^Bearer +/i, '')].flatMap((text) => [
		text,
		Buffer.from(text, 'latin1').toString(),
	]);
}

/** The possible readings of a parameter: a plus sign that was not encoded arrives as a space. */
function readQuery(value: string): string[] {
	return [value, value.replaceAll(' ', '+')];
}

/** Whether two texts are the same, in constant time. Their digests always have equal lengths. */
function isSameText(given: string, secret: string): boolean {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	return timingSafeEqual(digest(given), digest(secret));
}
