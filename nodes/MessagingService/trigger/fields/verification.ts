import type { INodeProperties } from 'n8n-workflow';
import { SECRET_HEADER, SECRET_PARAMETER, SIGNATURE_HEADER } from '../settings';

const when = (kind: string, more: Record<string, string[]> = {}) => ({
	displayOptions: { show: { verification: [kind], ...more } },
});

/** How a call has to prove that it comes from the service. */
export const verification: INodeProperties[] = [
	{
		displayName: 'Verification',
		name: 'verification',
		type: 'options',
		default: 'sharedSecret',
		description: 'How this trigger knows that a call comes from your messaging service',
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Everybody who knows the address can start this workflow',
			},
			{
				name: 'Shared Secret',
				value: 'sharedSecret',
				description: 'The service sends the webhook secret of the credential with each call',
			},
			{
				name: 'Signature (HMAC)',
				value: 'hmac',
				description: 'The service signs each call with the webhook secret of the credential',
			},
		],
	},
	{
		displayName:
			'Everybody who knows the address can start this workflow, with any content they like. Choose this only if your service can neither send a secret nor sign its calls, and then set "Allowed Addresses" in the options.',
		name: 'openNotice',
		type: 'notice',
		default: '',
		...when('none'),
	},
	{
		displayName: 'Secret In',
		name: 'secretIn',
		type: 'options',
		default: 'header',
		description: 'Where the service puts the secret',
		options: [
			{ name: 'Header', value: 'header', description: 'In a header of the request' },
			{
				name: 'Query Parameter',
				value: 'query',
				description: 'At the end of the address. For services that cannot set headers.',
			},
		],
		...when('sharedSecret'),
	},
	{
		displayName: 'Header Name',
		name: 'headerName',
		type: 'string',
		default: SECRET_HEADER,
		description:
			'Header in which the service sends the secret. In "Authorization", it may stand after "Bearer".',
		...when('sharedSecret', { secretIn: ['header'] }),
	},
	{
		displayName: 'Parameter Name',
		name: 'parameterName',
		type: 'string',
		default: SECRET_PARAMETER,
		description: 'Query parameter in which the service sends the secret',
		hint: 'Add it to the address that you enter at the service: ?secret=…, with your secret',
		...when('sharedSecret', { secretIn: ['query'] }),
	},
	{
		displayName: 'Signature Header',
		name: 'signatureHeader',
		type: 'string',
		default: SIGNATURE_HEADER,
		description: 'Header in which the service sends the signature',
		...when('hmac'),
	},
	{
		displayName: 'Signature Format',
		name: 'signature',
		type: 'collection',
		placeholder: 'Add setting',
		default: {},
		description: 'How the service signs. The documentation of its webhooks says so.',
		options: [
			{
				displayName: 'Algorithm',
				name: 'algorithm',
				type: 'options',
				default: 'sha256',
				description: 'Hash function of the signature',
				options: [
					{ name: 'SHA-1', value: 'sha1' },
					{ name: 'SHA-256', value: 'sha256' },
					{ name: 'SHA-512', value: 'sha512' },
				],
			},
			{
				displayName: 'Encoding',
				name: 'encoding',
				type: 'options',
				default: 'hex',
				description: 'How the signature is written',
				options: [
					{ name: 'Base64', value: 'base64' },
					{ name: 'Hexadecimal', value: 'hex' },
				],
			},
			{
				displayName: 'Prefix',
				name: 'prefix',
				type: 'string',
				default: '',
				placeholder: 'e.g. sha256=',
				description: 'What stands before the signature in the header',
			},
			{
				displayName: 'Secret Encoding',
				name: 'secretEncoding',
				type: 'options',
				default: 'utf8',
				description: 'How the webhook secret of the credential is to be read',
				options: [
					{ name: 'As Base64', value: 'base64' },
					{ name: 'As Hexadecimal', value: 'hex' },
					{ name: 'As It Is', value: 'utf8' },
				],
			},
			{
				displayName: 'Signed Content',
				name: 'signedContent',
				type: 'string',
				default: '{body}',
				placeholder: 'e.g. {timestamp}.{body}',
				description:
					'What the signature is made of: {body} stands for the body, {timestamp} for the content of the timestamp header',
			},
			{
				displayName: 'Timestamp Header',
				name: 'timestampHeader',
				type: 'string',
				default: '',
				placeholder: 'e.g. X-Timestamp',
				description:
					'Header that says when the call was sent. With it, old calls are refused. It protects fully only if the signature is made of it too.',
			},
			{
				displayName: 'Tolerance',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description: 'How many seconds old a call may be, by the timestamp header',
			},
		],
		...when('hmac'),
	},
];
