/** Requests that nobody sends in good faith: n8n goes on answering, and starts nothing that it should not. */
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import { outputs, post, SECRET } from './events.ts';
import { describeOnN8n2, sandbox } from './shared.ts';

const PATIENCE_MS = 60_000;

interface HostileRequest {
	method: string;
	/** What follows the path of the webhook. */
	suffix: string;
	headers: Array<[name: string, value: string]>;
	body: Buffer | string;
}

const METHODS = ['POST', 'POST', 'POST', 'GET', 'PUT', 'HEAD', 'PURGE'];

const SUFFIXES = [
	...['', '/', '?', '?secret=', '?secret=a&secret=b', '?secret[]=a', '?secret[__proto__]=a', '#a'],
	...['?a[b][c][d]=1', '?__proto__=x', '?constructor=x', '?%00', '?%ff%fe', '?secret=%E0%A4%A'],
	...['', '', '', '', `?secret=${'a'.repeat(12_000)}`],
];

/** With lists of signatures that have thousands of parts. */
const SECRETS = [
	...['', 'Bearer ', 'undefined', 'true', '[object Object]', '__proto__', 'é'.repeat(6_000)],
	...[`t=1,${'v1=00'.repeat(2_000)}`, `sha256=${'=|;'.repeat(2_000)}`, `,${'v1,'.repeat(2_000)}`],
];

const TYPES = [
	...['', ';;;charset', '__proto__', 'text/plain', 'text/xml', 'application/octet-stream'],
	...['application/json', 'APPLICATION/JSON', 'application/json, text/plain'],
	...['application/json; charset=utf-16le', 'application/json; charset=x-odd'],
	...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
];

const HEADERS: HostileRequest['headers'] = [
	...['x-webhook-secret', 'x-signature', 'authorization'].flatMap((name) =>
		SECRETS.map((value): [string, string] => [name, value]),
	),
	['content-encoding', 'gzip'],
	['content-encoding', 'x'],
	['x-timestamp', '9'.repeat(400)],
	['__proto__', 'x'],
	['cookie', '=; ;;'],
];

const TEXTS = [
	...['{}', '{"a":1}', '{', ']', '{"a":1,}', 'NaN', '1e999', '"\\ud800"', '\uFEFF{}', '\0', '<a>'],
	...['', '[{"event":"a"},[],null]', '&&&===%%%', '--x', 'a=1&__proto__=2&a[b]=3'],
	'['.repeat(30_000) + ']'.repeat(30_000),
	'a=1&'.repeat(3_000),
	'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
	'{"id":{"toString":1},"inbound":{"toString":1,"valueOf":1},"event":[[[]]]}',
	'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
	'--x\r\ncontent-disposition: form-data; name="f"; filename="../../a"\r\n\r\n1\r\n--x--\r\n',
];

const BODIES = [
	...TEXTS,
	...TEXTS.map((text) => gzipSync(text)),
	// Larger than n8n takes it, once it is unpacked.
	gzipSync(Buffer.alloc(3_000_000, ' ')),
];

/** An entry of a list, which begins anew at its end. */
const nth = <Entry>(list: Entry[], index: number): Entry => list[index % list.length];

/** Requests that take turns with all of these; the lists differ in length, so that they meet in many ways. */
const hostileRequests = (count: number): HostileRequest[] =>
	Array.from({ length: count }, (_, index) => ({
		method: nth(METHODS, index),
		suffix: nth(SUFFIXES, index),
		headers: [['content-type', nth(TYPES, index)], nth(HEADERS, index), nth(HEADERS, 3 * index)],
		body: nth(BODIES, index),
	}));

interface Hostile {
	request: HostileRequest;
	flow: Flow;
}

/** Sends a request, and gives the status of its answer; undefined where n8n has hung up. */
async function statusOf({ request, flow }: Hostile): Promise<number | undefined> {
	const { method, suffix, headers, body } = request;
	const length = [
		['host', 'n8n'],
		['content-length', String(Buffer.byteLength(body))],
	];
	const call = send({
		port: sandbox.n8n.port,
		host: '127.0.0.1',
		path: `/webhook/${flow.path}${suffix}`,
		method,
		headers: [...length, ...headers].flat().map((each) => Buffer.from(each).toString('latin1')),
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

/** Sends requests, one after the other, and gives those that n8n fails to answer, and those that it accepts. */
async function sendAll(calls: Hostile[]) {
	const failing: Hostile[] = [];
	const accepted: Hostile[] = [];
	for (const call of calls) {
		const status = (await statusOf(call)) ?? 0;
		if (status >= 500) failing.push(call);
		else if (status >= 200 && status < 300) accepted.push(call);
	}
	return { failing, accepted };
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
		const requests = hostileRequests(150);
		const refused = await sendAll(
			requests.map((request, index) => ({ request, flow: nth(flows, index) })),
		);
		expect(refused.accepted).toEqual([]);
		for (const flow of flows) await outputs(flow, 0);

		const proven = requests.slice(0, 60).map(({ headers, ...request }): HostileRequest => {
			const others = headers.filter(([name]) => name !== 'x-webhook-secret');
			return { ...request, method: 'POST', headers: [['x-webhook-secret', SECRET], ...others] };
		});
		const taken = await sendAll(proven.map((request) => ({ request, flow: open })));
		expect(taken.accepted).not.toEqual([]);
		const suspects = [...refused.failing, ...taken.failing].map(({ request }) => request);
		const known = await sendAll(suspects.map((request) => ({ request, flow: webhook })));
		expect(suspects).toEqual(known.failing.map(({ request }) => request));

		const [first] = flows;
		expect((await post(first, '{"ok":1}')).status).toBe(200);
		expect(await outputs(first, 1)).toEqual([{ ok: 1 }]);
	});
});
