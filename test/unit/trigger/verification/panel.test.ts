/** What the panel offers is what is read, and what cannot be used is refused before any call comes. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	readVerification,
	verificationFields,
} from '../../../../nodes/MessagingService/trigger/verification';
import { failureOf } from '../../helpers/parameters';
import { panelWith } from '../panel';
import { callWith, problemWith, refusal, verificationWith } from './call';

const read = (parameters: IDataObject) => readVerification(panelWith(parameters));
const signed = (signature: IDataObject) => ({ verification: 'signature', signature });

test('without verification everybody is let in', () => {
	expect(read({ verification: 'none' })).toBeUndefined();
});

const inner = verificationFields.flatMap(({ options = [] }) => options);
const isField = (entry: object): entry is INodeProperties => 'type' in entry;
const fields = [...verificationFields, ...inner.filter(isField)];

test.each<[string, (value: string) => IDataObject]>([
	['verification', (value) => ({ verification: value })],
	['secretIn', (value) => ({ secretIn: value })],
	['scheme', (value) => ({ verification: 'signature', scheme: value })],
	['algorithm', (value) => signed({ algorithm: value })],
	['encoding', (value) => signed({ encoding: value })],
	['keyFormat', (value) => signed({ keyFormat: value })],
	['separator', (value) => signed({ separator: value })],
])('takes every choice of %s, and no other', (name, parameters) => {
	const { options = [] } = fields.find((field) => field.name === name) ?? {};
	expect(options.length).toBeGreaterThan(1);
	for (const option of options) read(parameters(String(Reflect.get(option, 'value'))));
	expect(() => read(parameters('__proto__'))).toThrow(/^"[A-Z][\w ]+" has an unknown value: /);
});

const NO_BODY = /^"Signed Content" has to contain \{body\}$/;

test.each<[IDataObject, RegExp]>([
	...['{nonce}', '{Body}', '{}', '{header:}', '{url}', '{__proto__}'].map(
		(each): [IDataObject, RegExp] => [
			{ signedContent: `{body}${each}` },
			/^"Signed Content" has an unknown placeholder: \{/,
		],
	),
	[{ signedContent: '{header:X-Nonce}' }, NO_BODY],
	[{ signedContent: '{timestamp}', timestampHeader: 'X-T' }, NO_BODY],
	[
		{ signedContent: '{timestamp}.{body}' },
		/^Add "Timestamp Header" or "Timestamp Prefix" to "Signature Settings"$/,
	],
	...['X-Signature:', 'X Signature', 'sha256='].map((each): [IDataObject, RegExp] => [
		{ timestampHeader: each },
		/^"Timestamp Header" has something that is no valid header name: "/,
	]),
	[
		{ signedContent: '{body}{header:X-Nonce:}' },
		/^"Signed Content" has something that is no valid header name: "X-Nonce:"$/,
	],
	[{ timestampHeader: 'X-Time' }, /^Add \{timestamp\} to "Signed Content"/],
	[{ timestampPrefix: 't=' }, /^Choose a "Separator" in "Signature Settings"$/],
	[{ tolerance: 0 }, /^"Tolerance" has to be a whole number of at least 1$/],
])('refuses the signature %j', (signature, message) => {
	const problem = failureOf(() => read(signed(signature)));
	expect(problem.message).toMatch(message);
	expect(problem.description).not.toBe('');
});

test('wants a secret', () => {
	const words = /^Enter a "Webhook Secret" in the credential/;
	for (const verification of [verificationWith({}), verificationWith(signed({}))]) {
		expect(problemWith(verification, ['secret'])).toBeUndefined();
		expect(problemWith(verification, [])).toMatch(words);
		expect(refusal(verification, callWith({}), [], 0)).toMatch(words);
		for (const key of ['-----BEGIN PUBLIC KEY-----', 'whpk_MCowBQYDK2VwAyEA']) {
			expect(problemWith(verification, [key])).toMatch(/is a public key/);
			expect(refusal(verification, callWith({}), ['secret', key], 0)).toMatch(/is a public key/);
		}
	}
});
