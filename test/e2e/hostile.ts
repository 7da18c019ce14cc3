/** Requests that nobody sends in good faith: n8n goes on answering, and starts nothing that it should not. */
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import { outputs, post, SECRET } from './events.ts';
import { describeOnN8n2, sandbox } from './shared.ts';

const SEED = 20_260_301;
/** So few that n8n answers each within the patience of its sender. */
const CONNECTIONS = 20;
const PATIENCE_MS = 60_000;

interface HostileRequest {
	method: string;
	/** What follows the path of the webhook. */
	suffix: string;
	/** Names and values, one after the other. */
	headers: string[];
	body: Buffer;
}

/** One of the texts between the bars. */
const anyOf = (list: string) => fc.constantFrom(...list.split(' | '));

const bytes = (maxLength: number) =>
	fc.uint8Array({ maxLength }).map((content) => Buffer.from(content));

const method = fc.oneof(
	{ weight: 8, arbitrary: fc.constant('POST') },
	anyOf('GET | PUT | PATCH | DELETE | HEAD | OPTIONS | TRACE | PURGE'),
);

const suffix = fc.oneof(
	{ weight: 4, arbitrary: fc.constant('') },
	anyOf('/ | // | ? | ?secret= | ?secret=a&secret=b | ?secret[]=a | ?secret[__proto__]=a | #a'),
	anyOf('?a[b][c][d]=1 | ?__proto__=x | ?constructor=x | ?%00 | ?%ff%fe | ?secret=%E0%A4%A'),
	fc.integer({ min: 1, max: 12_000 }).map((length) => `?secret=${'a'.repeat(length)}`),
);

const secret = fc.oneof(
	anyOf(' | Bearer  | undefined | null | 0 | true | [object Object] | __proto__'),
	fc.integer({ min: 1, max: 6_000 }).map((length) => 'é'.repeat(length)),
	// Lists of signatures, with thousands of parts.
	fc
		.tuple(anyOf('t=1, | sha256= | ,'), anyOf('v1=00, | v1, | =|;'), fc.nat({ max: 2_000 }))
		.map(([start, part, times]) => start + part.repeat(times)),
);

const header = fc.oneof(
	fc.tuple(
		fc.constant('content-type'),
		fc.oneof(
			anyOf(' | ;;;charset | __proto__ | text/plain | text/xml | application/octet-stream'),
			anyOf('application/json | APPLICATION/JSON | application/json, text/plain'),
			anyOf('application/json; charset=utf-16le | application/json; charset=x-odd'),
			anyOf('application/x-www-form-urlencoded | multipart/form-data; boundary=x'),
		),
	),
	fc.tuple(anyOf('x-webhook-secret | x-signature | webhook-signature | authorization'), secret),
	fc.tuple(anyOf('content-encoding'), anyOf('gzip | deflate | x')),
	fc.tuple(anyOf('x-timestamp'), anyOf(`-1 | ${'9'.repeat(400)}`)),
	fc.tuple(anyOf('__proto__ | constructor | cookie | x-forwarded-for'), anyOf('x | =; ;; | ::1')),
);

const text = fc.oneof(
	{ weight: 4, arbitrary: fc.json() },
	fc.integer({ min: 1, max: 30_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
	fc.constantFrom(
		'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
		'{"id":{"toString":1},"inbound":{"toString":1,"valueOf":1},"event":[[[]]]}',
		'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
		'--x\r\ncontent-disposition: form-data; name="f"; filename="../../a"\r\n\r\n1\r\n--x--\r\n',
		'a=1&__proto__=2&a[b]=3',
	),
	anyOf('{ | ] | {"a":1,} | NaN | 1e999 | "\\ud800" | \uFEFF{} | \0 | <a> | &&&===%%% | --x'),
	fc.integer({ min: 1, max: 3_000 }).map((count) => 'a=1&'.repeat(count)),
);

const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
	method,
	suffix,
	headers: fc.array(header, { maxLength: 7 }).map((headers) => headers.flat()),
	body: fc.oneof(
		{ weight: 6, arbitrary: text.map((content) => Buffer.from(content)) },
		bytes(500),
		text.map((content) => gzipSync(content)),
		// Larger than n8n takes it, once it is unpacked.
		fc.constant(gzipSync(Buffer.alloc(3_000_000, ' '))),
	),
});

/** Hostile requests, the same ones each time. */
const hostileRequests = (count: number, seed: number) =>
	fc.sample(hostileRequest, { numRuns: count, seed });

interface Hostile {
	request: HostileRequest;
	flow: Flow;
}

/** Sends a request, and gives the status of its answer; undefined where n8n has hung up. */
async function statusOf({ request, flow }: Hostile): Promise<number | undefined> {
	const { method, suffix: end, headers, body } = request;
	const length = ['host', 'n8n', 'content-length', String(body.length)];
	const call = send({
		port: sandbox.n8n.port,
		host: '127.0.0.1',
		path: `/webhook/${flow.path}${end}`,
		method,
		headers: [...length, ...headers.map((each) => Buffer.from(each).toString('latin1'))],
		signal: AbortSignal.timeout(PATIENCE_MS),
	});
	call.end(body);
	try {
		const [{ statusCode }]: IncomingMessage[] = await once(call, 'response');
		return statusCode;
	} catch (error) {
		// No answer at all is none that a sender may get.
		if (Object(error).name === 'AbortError') throw error;
		return undefined;
	} finally {
		call.destroy();
	}
}

/** Sends requests, some at the same time, and gives the statuses of their answers. */
async function statusesOf(calls: Hostile[]): Promise<Array<number | undefined>> {
	const statuses: Array<number | undefined> = [];
	const left = [...calls.entries()];
	const sender = async () => {
		for (let next = left.shift(); next; next = left.shift()) {
			statuses[next[0]] = await statusOf(next[1]);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, sender));
	return statuses;
}

/** Those that n8n fails to answer. */
async function failing(calls: Hostile[]): Promise<Hostile[]> {
	const statuses = await statusesOf(calls);
	return calls.filter((_, index) => (statuses[index] ?? 0) >= 500);
}

describeOnN8n2('Hostile requests to the trigger', () => {
	test('without a valid secret start nothing, and with it break nothing that n8n itself does not', async () => {
		const webhook = await sandbox.activate([webhookNode('webhook-beside')]);
		const flows = await Promise.all(
			[
				sandbox.trigger({}),
				sandbox.trigger({ secretIn: 'query' }),
				sandbox.trigger({ verification: 'signature', signature: { separator: 'comma' } }),
			].map((trigger) => sandbox.activate([trigger])),
		);
		const open = await sandbox.activate([
			sandbox.trigger({
				events: ['a', '1'],
				filters: { inboxIds: ['11111111-1111-4111-8111-111111111111'] },
				options: { fullRequest: true, deliveryField: 'a' },
			}),
		]);
		const calls = hostileRequests(150, SEED).flatMap((request, index) => {
			const flow = flows[index % flows.length];
			return flow ? [{ request, flow }] : [];
		});
		const statuses = await statusesOf(calls);
		// n8n answers OPTIONS itself.
		const accepted = statuses.filter((status) => status && status < 300 && status !== 204);
		expect(accepted).toEqual([]);
		for (const flow of flows) await outputs(flow, 0);

		const proven = hostileRequests(60, SEED + 1).map(({ headers, ...request }) => {
			const isSecret = (index: number) => headers[index - (index % 2)] === 'x-webhook-secret';
			const others = headers.filter((_, index) => !isSecret(index));
			return { ...request, method: 'POST', headers: ['x-webhook-secret', SECRET, ...others] };
		});
		const suspects = [
			...calls.filter((_, index) => (statuses[index] ?? 0) >= 500),
			...(await failing(proven.map((request) => ({ request, flow: open })))),
		];
		const known = await failing(suspects.map(({ request }) => ({ request, flow: webhook })));
		expect(suspects.map(({ request }) => request)).toEqual(known.map(({ request }) => request));

		const [first] = flows;
		if (!first) throw new Error('No workflows');
		expect((await post(first, '{"ok":1}')).status).toBe(200);
		expect(await outputs(first, 1)).toEqual([{ ok: 1 }]);
	});
});
