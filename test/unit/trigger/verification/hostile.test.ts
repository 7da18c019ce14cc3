/** Calls that nobody sends in good faith: none is let in, and none throws. */
import crypto from 'node:crypto';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import type { Verification } from '../../../../nodes/MessagingService/trigger/verification/call';
import { identifierFor } from '../../../../nodes/MessagingService/trigger/deliveries';
import { readEvents, type WebhookRequest } from '../../../../nodes/MessagingService/trigger/events';
import { fake } from '../../helpers/fake';
import { settingsWith } from '../panel';
import { callWith, refusal, verificationWith } from './call';
import { EXAMPLES } from './publishedExamples';

const RUNS = 10_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');

/** All that the published examples are made of, and what stands between it. */
const word = fc.oneof(
	fc.constantFrom(
		...EXAMPLES.flatMap(({ headers, body }) => [
			...Object.values(headers).flatMap((value) => [value, ...value.split(/[\s,;=]/)]),
			body,
		]),
	),
	fc.constantFrom('t=', 'v1=', 'v1,', 'v1a,', 'sha256=', ',', ';', ' ', '='),
	fc.constantFrom(String(NOW / 1_000), String(NOW), new Date(NOW).toISOString()),
	fc.constantFrom('-1', 'NaN', '1e308', '9'.repeat(400), '+275760-09-13T00:00:00Z'),
	fc.string({ unit: 'binary', maxLength: 200 }),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
	fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
);

const value = fc.oneof(
	fc.array(word, { maxLength: 30 }).map((words) => words.join('')),
	fc
		.tuple(word, fc.nat({ max: 16_000 }))
		.map(([text, times]) => text.slice(0, 6).repeat(times).slice(0, 16_000)),
);

const name = fc.constantFrom(
	...EXAMPLES.flatMap(({ headers }) => Object.keys(headers)),
	...['x-signature', 'x-timestamp', 'x-webhook-secret', '__proto__', 'constructor'],
);

const call = fc
	.record({
		headers: fc.dictionary(name, value, { maxKeys: 8 }),
		query: fc.oneof(fc.constant(undefined), fc.record({ a: value })),
		rawBody: fc.option(
			value.map((text) => Buffer.from(text)),
			{ nil: undefined },
		),
	})
	.map(callWith);

/** Of this run alone, so that no signature of the examples can be right. It can be read in every format. */
const SECRET = crypto.randomBytes(30).toString('hex');

const signatureWith = (signature: IDataObject) =>
	verificationWith({ verification: 'signature', signature });
const LONGEST = `${'{header:x-timestamp}'.repeat(40)}{body}`;

/** Every way to verify that has an example, and some that hardly anybody would set. */
const VERIFICATIONS: Verification[] = [
	...EXAMPLES.map(({ parameters }) => verificationWith(parameters)),
	verificationWith({}),
	verificationWith({ secretIn: 'query', parameterName: 'a' }),
	signatureWith({ signedContent: LONGEST }),
];

test(`${RUNS} hostile calls: none is let in, and none throws`, () => {
	fc.assert(
		fc.property(fc.constantFrom(...VERIFICATIONS), call, (verification, sent) => {
			const reason = refusal(verification, sent, [SECRET, '00ff'], NOW);
			expect(typeof reason).toBe('string');
			expect(reason).not.toContain(SECRET);
			expect(reason?.length).toBeLessThan(4_000);
		}),
		{ numRuns: RUNS },
	);
}, 240_000);

describe('a recorded call', () => {
	// A contact may write whatever could pass for a part of the signed content.
	const BODY = `{"id":1,"text":"a.${NOW / 1_000}.b:${NOW / 1_000}:c.${NOW}"}`;
	const ID = 'msg-1';

	/** All ways to take a text apart into what stands for the placeholders of a template, by placeholder. */
	function divisionsOf(text: string, [part, ...rest]: string[]): Array<Record<string, string>> {
		if (part === undefined) return text === '' ? [{}] : [];
		const isPlaceholder = part.startsWith('{');
		if (!isPlaceholder) {
			return text.startsWith(part) ? divisionsOf(text.slice(part.length), rest) : [];
		}
		const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
		return lengths.flatMap((length) =>
			divisionsOf(text.slice(length), rest).map((others) => ({
				...others,
				[part]: text.slice(0, length),
			})),
		);
	}

	test.each([
		['{id}.{timestamp}.{body}', '{id}'],
		['{header:idempotency-key}:{timestamp}:{body}', '{header:idempotency-key}'],
		['{body}.{header:idempotency-key}.{timestamp}', '{header:idempotency-key}'],
		['v0:{timestamp}:{body}', ''],
		['{timestamp}{body}', ''],
		['{body}{timestamp}', ''],
		['{header:svix-id}.{body}', '{header:svix-id}'],
		['{body}', ''],
	])('of %s starts nothing else, and does not look new', (signedContent, idPart) => {
		const settings = settingsWith({
			verification: 'signature',
			signature: {
				signedContent,
				...(signedContent.includes('{timestamp}') && { timestampHeader: 'x-timestamp' }),
			},
		});
		const { verification } = settings;
		if (!verification) throw new Error('Nothing is verified');

		for (const time of [String(NOW / 1_000), String(NOW), new Date(NOW).toISOString()]) {
			const content = signedContent
				.replace(idPart || '{id}', ID)
				.replace('{timestamp}', time)
				.replace('{body}', BODY);
			const signature = crypto.createHmac('sha256', SECRET).update(content).digest('hex');

			/** What starts, and what it is known by. None when the call is refused. */
			const started = (parts: Record<string, string>, unsigned: Record<string, string>) => {
				const { '{timestamp}': timestamp, '{body}': body, [idPart]: id } = parts;
				const headers = { ...unsigned, 'x-timestamp': timestamp, 'x-signature': signature };
				const ids = idPart && { 'webhook-id': id, 'idempotency-key': id };
				const rawBody = Buffer.from(body ?? '');
				const sent = callWith({ headers: { ...headers, ...ids }, query: unsigned, rawBody });
				if (refusal(verification, sent, [SECRET], NOW) !== undefined) return [];
				const contentType = unsigned['content-type'];
				const parsed = { field: 'of a form' };
				const events = readEvents(fake<WebhookRequest>({ ...sent, body: parsed, contentType }));
				const identify = identifierFor([], sent, settings);
				return events.map((event) => ({ event, id: identify(event) }));
			};

			const usual = { 'content-type': 'application/json' };
			const genuine = { '{timestamp}': time, '{body}': BODY, [idPart]: ID };
			const first = started(genuine, usual);
			expect(first).toHaveLength(1);
			const altered = { 'content-type': 'text/plain', 'x-delivery': 'd-2' };
			const divisions = divisionsOf(content, signedContent.split(/(\{[^{}]*\})/));
			for (const parts of divisions) {
				for (const unsigned of [usual, altered])
					expect([first, []]).toContainEqual(started(parts, unsigned));
			}
			expect(started(genuine, altered)).toEqual(first);
		}
	});
});
