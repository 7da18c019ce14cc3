import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { NodeApiError } from 'n8n-workflow';
import type { Answer, NoResponseReason } from '../../../nodes/MessagingService/api/request';
import { sendBy } from '../../../nodes/MessagingService/n8n/http';
import { nodeWith } from '../helpers/node';

/** An error as the HTTP client of n8n throws it. */
class HttpClientError extends Error {
	readonly isAxiosError = true;

	constructor(message: string, fields: { code?: unknown; syscall?: string; cause?: unknown } = {}) {
		super(message, { cause: fields.cause });
		Object.assign(this, fields);
	}
}

/** Wraps an error as n8n's request helper does. */
function wrap(error: unknown): unknown {
	return Reflect.construct(NodeApiError, [nodeWith(), error]);
}

/** Wraps an error as n8n 1.x does, which loses its cause. */
function wrapInOlder(error: unknown): unknown {
	return Object.assign(Object(wrap(error)), { cause: undefined });
}

const REQUEST = {
	method: 'POST',
	url: 'https://messaging.example.com/',
	timeout: 60_000,
	headers: { accept: 'application/json' },
} as const;

async function answerTo(error: unknown): Promise<Answer> {
	return await sendBy(() => Promise.reject(error), REQUEST);
}

const NOT_SECURED =
	'Client network socket disconnected before secure TLS connection was established';

type Row = [code: string | undefined, syscall: string | undefined, string, NoResponseReason];

const ROWS: Row[] = [
	['ECONNREFUSED', 'connect', 'connect ECONNREFUSED 192.0.2.1:443', 'unreachable'],
	[
		undefined,
		undefined,
		'The request was blocked because it resolves to a restricted IP address',
		'blocked',
	],
	['EAI_FAIL', 'getaddrinfo', 'getaddrinfo EAI_FAIL messaging.example.com', 'unreachable'],
	['ENOTFOUND', 'getaddrinfo', 'getaddrinfo ENOTFOUND messaging.example.com', 'unreachable'],
	['ETIMEDOUT', 'connect', 'connect ETIMEDOUT 192.0.2.1:443', 'unreachable'],
	['ECONNRESET', undefined, NOT_SECURED, 'unreachable'],
	['ETIMEDOUT', 'read', 'read ETIMEDOUT', 'timeout'],
	// The route is gone, but the request may have gone out before.
	['EHOSTUNREACH', 'read', 'read EHOSTUNREACH', 'broken'],
	['ETIMEDOUT', undefined, 'timeout of 60000ms exceeded', 'timeout'],
	['ECONNRESET', 'read', 'read ECONNRESET', 'broken'],
	['HPE_INVALID_CONSTANT', undefined, 'Parse Error: Expected HTTP/', 'broken'],
	// TLS broke on a connection that stood, so the request had gone out.
	['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', undefined, '40AD:error:0A000119', 'broken'],
	['EPROTO', 'read', 'read EPROTO: bad record mac', 'broken'],
	['CERT_HAS_EXPIRED', undefined, 'certificate has expired', 'insecure'],
	['EPROTO', 'write', 'write EPROTO: wrong version number', 'insecure'],
	// Nobody knows when it happened.
	[undefined, undefined, 'The request was blocked', 'broken'],
];

describe('a failure', () => {
	test.each(ROWS)('%s (%s, "%s") is %s, however often it is wrapped', async (...row) => {
		const [code, syscall, message, reason] = row;
		const error = new HttpClientError(message, { code, syscall });
		const once = wrap(error);
		const twice = new Error('wrapped again', { cause: once });
		for (const thrown of [error, once, twice, wrapInOlder(error)]) {
			const answer = await answerTo(thrown);
			expect(answer).toMatchObject({ kind: 'noResponse', reason });
			expect(answer).toHaveProperty('detail', [code, message].filter(Boolean).join(': '));
		}
	});

	test('to connect to any address of a host is that of a request that was not sent', async () => {
		const code = 'ETIMEDOUT';
		const errors = ['192.0.2.1', '192.0.2.2'].map((address) =>
			Object.assign(new Error(`connect ETIMEDOUT ${address}:443`), { code }),
		);
		const error = Object.assign(new AggregateError(errors), { code });
		for (const thrown of [error, wrap(error)]) {
			expect(await answerTo(thrown)).toMatchObject({ reason: 'unreachable' });
		}
	});

	test('never escapes as an exception', async () => {
		await fc.assert(
			fc.asyncProperty(fc.anything(), async (thrown) => {
				expect((await answerTo(thrown)).kind).toBe('noResponse');
			}),
			{ numRuns: 500 },
		);
	});
});

test('every status is a response, with its headers by names in lower case', async () => {
	const headers = { 'Retry-After': 5, 'Set-Cookie': ['a=1', 'b=2'] };
	for (const status of [200, 202, 301, 400, 401, 404, 429, 500, 503]) {
		const answer = { statusCode: status, headers, body: 'a text' };
		expect(await sendBy(() => Promise.resolve(answer), REQUEST)).toEqual({
			kind: 'response',
			sentAt: expect.any(Date),
			status,
			headers: { 'retry-after': '5', 'set-cookie': 'a=1,b=2' },
			text: 'a text',
		});
	}
});

describe('the body of a stream', () => {
	/** What comes of an answer with these parts, each after so many milliseconds. */
	async function answerWith(
		parts: Iterable<string | Buffer>,
		{ status = 200, every = 0, timeout = 60_000, ...more }: Partial<Streaming> = {},
	) {
		const body = Readable.from(
			(async function* () {
				for (const part of parts) {
					await sleep(every);
					yield part;
				}
			})(),
			{ objectMode: false },
		);
		const helper = () => Promise.resolve({ statusCode: status, body });
		const answer = await sendBy(helper, { ...REQUEST, timeout, ...more });
		return { answer, isClosed: body.destroyed };
	}

	interface Streaming {
		status: number;
		every: number;
		timeout: number;
		signal: AbortSignal;
		bodilessStatus: number;
	}

	const endless = {
		*[Symbol.iterator]() {
			for (;;) yield 'x'.repeat(1_000_000);
		},
	};

	test('comes whole, also where letters are cut in two', async () => {
		const bytes = Buffer.from('\uFEFF{"a":"é€😀"}');
		const { answer } = await answerWith([...bytes].map((byte) => Buffer.from([byte])));
		expect(answer).toMatchObject({ kind: 'response', text: '{"a":"é€😀"}' });
	});

	test('may have 10 MB and no more', async () => {
		const most = 'x'.repeat(10_000_000);
		expect((await answerWith([most])).answer).toMatchObject({ kind: 'response', text: most });
		expect(await answerWith([most, 'x'])).toEqual({
			answer: { kind: 'noResponse', reason: 'tooLarge', detail: '10 MB' },
			isClosed: true,
		});
	});

	test('is closed when the execution is cancelled', async () => {
		const cancelled = { every: 20, signal: AbortSignal.timeout(50) };
		expect(await answerWith(endless, cancelled)).toMatchObject({
			answer: { reason: 'cancelled' },
			isClosed: true,
		});
	});

	test('is closed unread where the status says everything', async () => {
		expect(await answerWith(endless, { status: 202, bodilessStatus: 202 })).toMatchObject({
			answer: { kind: 'response', status: 202, text: '' },
			isClosed: true,
		});
	});

	test('is not needed to know that a request failed', async () => {
		const dripping = { status: 503, every: 20, timeout: 50 };
		expect(await answerWith(endless, dripping)).toMatchObject({
			answer: { kind: 'response', status: 503, text: '' },
			isClosed: true,
		});
	});
});

test.each(['timeout', 'cancelled'])(
	'a helper that knows no signal is not waited for, and its late answer is closed: %s',
	async (reason) => {
		const body = Readable.from(['late']);
		const helper = async () => {
			await sleep(60);
			return { statusCode: 200, body };
		};
		const bounds = reason === 'timeout' ? { timeout: 20 } : { signal: AbortSignal.timeout(20) };
		expect(await sendBy(helper, { ...REQUEST, ...bounds })).toMatchObject({ reason });
		await sleep(60);
		expect(body.destroyed).toBe(true);
	},
);
