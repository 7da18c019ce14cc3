/** Requests that nobody sends in good faith: n8n goes on answering, and starts nothing. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { outputs, post } from './events.ts';
import { testOnN8n2, sandbox } from './shared.ts';

/** What follows the path of the webhook. */
const SUFFIXES = [
	...['', '/', '?secret=', '?secret=a&secret=b', '?secret[]=a', '?secret[__proto__]=a', '#a'],
	...['?a[b][c][d]=1', '?__proto__=x', '?%00', '?%ff%fe', '?secret=%E0%A4%A'],
	`?secret=${'a'.repeat(12_000)}`,
];

/** Also lists of signatures that have thousands of parts. */
const SECRETS = [
	...['Bearer ', '[object Object]', '__proto__', 'é'.repeat(6_000), 'e3b0c442'.repeat(8)],
	...['s, '.repeat(2_000), `sha256=${'=|;'.repeat(2_000)}`, `,${'v1,'.repeat(2_000)}`],
];

/** None is XML: after some that are broken, n8n answers no call with XML any more, at whatever webhook. */
const TYPES = [
	...['', ';;;charset', '__proto__', 'text/plain', 'text/x-odd', 'application/octet-stream'],
	...['application/json', 'application/json, text/plain', 'application/json; charset=utf-16le'],
	...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
];

const BODIES = [
	...['{}', '{', '{"a":1,}', '1e999', '"\\ud800"', '\uFEFF{}', '\0', '<a>', '&&&===%%%', '--x'],
	...['a=1&__proto__=2&a[b]=3', 'a=1&'.repeat(3_000), '['.repeat(30_000) + ']'.repeat(30_000)],
	'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
	'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
	'--x\r\ncontent-disposition: form-data; name="f"; filename="../../a"\r\n\r\n1\r\n--x--\r\n',
	// Larger than n8n takes it, once it is unpacked.
	gzipSync(Buffer.alloc(3_000_000, ' ')),
];

const REQUESTS = 200;

/** An entry of a list, which begins anew at its end. No two lengths have a common factor, so that all entries meet. */
const nth = <Entry>(list: Entry[], index: number): Entry => list[index % list.length];

/** Sends a request to a trigger, and gives the status of its answer; 0 where n8n has hung up. */
async function statusOf(index: number, { path }: Flow): Promise<number> {
	const body = nth(BODIES, index);
	const headers = {
		host: 'n8n',
		'content-length': String(Buffer.byteLength(body)),
		'content-type': nth(TYPES, index),
		[nth(['x-webhook-secret', 'x-signature'], index)]: nth(SECRETS, index),
		...(Buffer.isBuffer(body) && { 'content-encoding': 'gzip' }),
	};
	const call = request({
		port: sandbox.n8n.port,
		host: '127.0.0.1',
		path: `/webhook/${path}${nth(SUFFIXES, index)}`,
		method: 'POST',
		headers: Object.entries(headers)
			.flat()
			.map((each) => Buffer.from(each).toString('latin1')),
		// No answer at all is none that a sender may get.
		signal: AbortSignal.timeout(60_000),
	});
	call.end(body);
	try {
		const [{ statusCode = 0 }]: IncomingMessage[] = await once(call, 'response');
		return statusCode;
	} catch (error) {
		if (Object(error).name === 'AbortError') throw error;
		return 0;
	} finally {
		call.destroy();
	}
}

testOnN8n2('hostile requests to the trigger start nothing, and n8n goes on answering', async () => {
	const flows: Flow[] = [];
	for (const parameters of [{}, { secretIn: 'query' }, { verification: 'signature' }]) {
		flows.push(await sandbox.activate([sandbox.trigger(parameters)]));
	}
	const logged = sandbox.n8n.log().length;
	const statuses: number[] = [];
	for (let index = 0; index < REQUESTS; index++) {
		statuses.push(await statusOf(index, nth(flows, index)));
	}
	expect(statuses.filter((status) => status >= 200 && status < 300)).toEqual([]);
	expect(statuses).toEqual(expect.arrayContaining([401, 422]));
	const reached =
		sandbox.n8n
			.log()
			.slice(logged)
			.match(/does not match/g) ?? [];
	expect(reached.length).toBeGreaterThan(REQUESTS / 4);
	for (const flow of flows) await outputs(flow, 0);

	const [first] = flows;
	expect((await post(first, '{"ok":1}')).status).toBe(200);
	expect(await outputs(first, 1)).toEqual([{ ok: 1 }]);
});
