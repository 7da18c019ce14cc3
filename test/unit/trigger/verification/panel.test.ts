/** What the panel offers is what is read, and nothing else is. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	readVerification,
	verificationFields,
} from '../../../../nodes/MessagingService/trigger/verification';
import { panelWith, problemOf } from '../panel';
import { callWith, refusal } from './call';

const inner = verificationFields.flatMap(({ options = [] }) => options);
const isField = (entry: object): entry is INodeProperties => 'type' in entry;
const fields = [...verificationFields, ...inner.filter(isField)];
const choicesOf = (name: string) => {
	const { options = [] } = fields.find((field) => field.name === name) ?? {};
	return options.map((option) => String(Reflect.get(option, 'value')));
};
const refusedBy = (parameters: IDataObject) => {
	const verification = readVerification(panelWith(parameters));
	return verification && refusal(verification, callWith({}), ['secret'], 0);
};

test('each way to verify shows its own fields', () => {
	const shown = Object.fromEntries(
		verificationFields.map(({ name, displayOptions }) => [name, displayOptions?.show]),
	);
	expect(shown).toEqual({
		verification: undefined,
		openNotice: { verification: ['none'] },
		secretIn: { verification: ['sharedSecret'] },
		headerName: { verification: ['sharedSecret'], secretIn: ['header'] },
		parameterName: { verification: ['sharedSecret'], secretIn: ['query'] },
		scheme: { verification: ['signature'] },
		signatureHeader: { verification: ['signature'], scheme: ['custom'] },
		signature: {
			verification: ['signature'],
			scheme: ['custom', 'slack', 'standardWebhooks', 'stripe', 'twilio'],
		},
	});
});

test('with nothing filled in, the secret is wanted in a header', () => {
	for (const headerName of [undefined, '', '  '])
		expect(refusedBy({ headerName })).toBe(
			'no secret in the header "X-Webhook-Secret"; these headers came: only the usual ones',
		);
	expect(refusedBy({ secretIn: 'query', parameterName: ' ' })).toContain('"secret"');
	expect(refusedBy({ verification: 'signature', signatureHeader: '' })).toBe(
		'no header "X-Signature"; these headers came: only the usual ones',
	);
});

test('without verification everybody is let in', () => {
	expect(refusedBy({ verification: 'none' })).toBeUndefined();
	expect(readVerification(panelWith({ verification: 'none' }))).toBeUndefined();
});

const signed = (member: string) => (value: unknown) => ({
	verification: 'signature',
	signature: { [member]: value } as IDataObject,
});

test.each<[string, (value: unknown) => IDataObject]>([
	['verification', (value) => ({ verification: value }) as IDataObject],
	['secretIn', (value) => ({ secretIn: value }) as IDataObject],
	['algorithm', signed('algorithm')],
	['encoding', signed('encoding')],
	['keyFormat', signed('keyFormat')],
	['separator', signed('separator')],
	['scheme', (value) => ({ verification: 'signature', scheme: value }) as IDataObject],
])('takes every choice of %s, and no other', (name, parameters) => {
	const choices = choicesOf(name);
	expect(choices.length).toBeGreaterThan(1);
	for (const choice of choices) {
		expect(() => readVerification(panelWith(parameters(choice)))).not.toThrow();
	}
	for (const unknown of ['md5', 'SHA256', '', 5, [choices[0]], '__proto__']) {
		const { message, description } = problemOf(() =>
			readVerification(panelWith(parameters(unknown))),
		);
		expect(message).toMatch(/^"[A-Z][\w ]+" has an unknown value: /);
		expect(message).toContain(JSON.stringify(unknown));
		expect(description).toMatch(/^Choose one of these: \w.*\.$/);
	}
});

test.each<[string, IDataObject, string]>([
	[
		'the body is not part of',
		{ signedContent: '{timestamp}', timestampHeader: 'X-T' },
		'"Signed Content" does not cover the body: {body}, {fields} or {sha256:body} is missing',
	],
	[
		'the time is part of, but not sent',
		{ signedContent: '{timestamp}.{body}' },
		'"Timestamp Header" is missing',
	],
])('refuses a signature that %s', (_what, signature, words) => {
	const { message, description } = problemOf(() =>
		readVerification(panelWith({ verification: 'signature', signature })),
	);
	expect(message).toBe(words);
	expect(description).toMatch(/nter .* in which|nter the placeholder/);
});

test.each<IDataObject>([
	{},
	{ timestampHeader: 'X-T' },
	{ timestampHeader: 'X-T', signedContent: 'v0:{timestamp}:{body}' },
	{ tolerance: '60' },
])('takes the signature %j', (signature) => {
	expect(refusedBy({ verification: 'signature', signature })).toMatch(/^no header/);
});
