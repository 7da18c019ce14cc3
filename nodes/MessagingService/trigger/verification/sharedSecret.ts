import type { INodeProperties } from 'n8n-workflow';
import { type Choice, dropdown, type PanelValues } from '../panelValues';
import { listHeaders } from './headers';
import { refuse } from './refusal';
import { isSameSecret } from './sameSecret';
import type { Call, SecretPart, Verification } from './verification';

interface Place extends Choice {
	part: SecretPart;
	nameField: INodeProperties;
	/** The name as the request has it. */
	toKey(name: string): string;
	/** What a value may mean; any of it may be the secret. */
	readings(value: string): string[];
	/** What else to say when the call has no such entry. */
	hint?(call: Call): string;
}

const PLACES: Place[] = [
	{
		name: 'Header',
		value: 'header',
		description: 'In a header of the request',
		part: 'headers',
		nameField: {
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: 'X-Webhook-Secret',
			description:
				'Header in which the service sends the secret. In "Authorization", it may be preceded by "Bearer".',
			hint: 'Where your service, or a step of an agent, lets you set headers, add this one with your secret',
		},
		toKey: (name) => name.toLowerCase(),
		// Node.js reads headers as Latin-1, although most senders write UTF-8.
		readings: (value) =>
			[value, value.replace(/^Bearer +/i, '')].flatMap((text) => [
				text,
				Buffer.from(text, 'latin1').toString(),
			]),
		hint: ({ headers }) => `; these headers came: ${listHeaders(headers)}`,
	},
	{
		name: 'Query Parameter',
		value: 'query',
		description: 'At the end of the address. For services that cannot set headers.',
		part: 'query',
		nameField: {
			displayName: 'Parameter Name',
			name: 'parameterName',
			type: 'string',
			default: 'secret',
			description: 'Query parameter in which the service sends the secret',
			hint: 'Add it to the address that you enter at the service: ?secret=…, with your secret',
		},
		toKey: (name) => name,
		// A plus sign that was not encoded arrives as a blank.
		readings: (value) => [value, value.replaceAll(' ', '+')],
	},
];

const place = dropdown(
	{
		displayName: 'Secret In',
		name: 'secretIn',
		default: 'header',
		description: 'Where the service puts the secret',
	},
	PLACES,
);

export const sharedSecretFields: INodeProperties[] = [
	place.field,
	...PLACES.map(({ value, nameField }) => ({
		...nameField,
		displayOptions: { show: { [place.field.name]: [value] } },
	})),
];

/**
 * Reads where the secret itself is expected.
 *
 * @throws {Problem} when that is an unknown place.
 */
export function readSharedSecret(values: PanelValues): Verification {
	const { value: label, part, nameField, toKey, readings, hint } = values.choice(place);
	const name = values.text(nameField);
	const key = toKey(name);
	return {
		needsBody: false,
		verify(call, secrets) {
			const given: unknown = Reflect.get(Object(call[part]), key);
			if (typeof given !== 'string' || given === '') {
				return refuse(`no secret in the ${label} "${name}"${hint?.(call) ?? ''}`);
			}
			const matches = secrets.flatMap((secret) =>
				readings(given).map((reading) => isSameSecret(reading, secret)),
			);
			if (!matches.includes(true)) refuse(`the ${label} "${name}" has another secret`);
		},
		isSecret: (where, each) => where === part && each === key,
	};
}
