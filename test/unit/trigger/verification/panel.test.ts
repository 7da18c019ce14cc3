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

test.each([
	[{ headerName: ' ' }, 'no secret in the header "X-Webhook-Secret"'],
	[{ secretIn: 'query', parameterName: '' }, 'no secret in the query "secret"'],
	[{ verification: 'signature', signatureHeader: '' }, 'no header "X-Signature"'],
])('what is left empty has its default: %j', (parameters, reason) => {
	expect(refusal(verificationWith(parameters), callWith({}), ['secret'], 0)).toContain(reason);
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
	for (const unknown of ['md5', '', '__proto__'])
		expect(failureOf(() => read(parameters(unknown)))).toMatchObject({
			message: expect.stringMatching(/^"[A-Z][\w ]+" has an unknown value: /),
			description: expect.stringMatching(/^Choose one of these: \w.*\.$/),
		});
});

const UNCOVERED = 'Add {body} to "Signed Content": without the body, anybody could change it';

test.each<[IDataObject, string, RegExp]>([
	...['{nonce}', '{Body}', '{}', '{header:}', '{url}', '{fields}', '{__proto__}'].map(
		(placeholder): [IDataObject, string, RegExp] => [
			{ signedContent: `{body}${placeholder}` },
			`"Signed Content" has an unknown placeholder: ${placeholder}`,
			/^Use these: \{body\}, \{header:Name\}, \{id\}, \{timestamp\}\.$/,
		],
	),
	// Plivo V2 does not sign the body.
	[{ signedContent: '{header:X-Plivo-Signature-V2-Nonce}' }, UNCOVERED, /another "Verification"/],
	[
		{ signedContent: '{timestamp}', timestampHeader: 'X-T' },
		UNCOVERED,
		/nter it where the body stands/,
	],
	[
		{ signedContent: '{timestamp}.{body}' },
		'Add "Timestamp Header" or "Timestamp Prefix" to "Signature Settings"',
		/the prefix of the time/,
	],
	...[0, 'x'].map((tolerance): [IDataObject, string, RegExp] => [
		{ tolerance },
		'"Tolerance" has to be a whole number of at least 1',
		/^The value is /,
	]),
])('refuses the signature %j', (signature, message, remedy) => {
	expect(failureOf(() => read(signed(signature)))).toMatchObject({
		message,
		description: expect.stringMatching(remedy),
	});
});

test('wants a secret', () => {
	for (const verification of [verificationWith({}), verificationWith(signed({}))]) {
		expect(problemWith(verification, ['secret'])).toBeUndefined();
		expect(problemWith(verification, [])?.message).toMatch(
			/^Enter a "Webhook Secret" in the credential/,
		);
		expect(refusal(verification, callWith({}), [], 0)).toMatch(/Enter a "Webhook Secret"/);
	}
});
