/** Requests that nobody sends in good faith: n8n goes on answering, and starts nothing. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { callTrigger, FORM, outputs, post, SECRET } from './events.ts';
import { sandbox } from './shared.ts';

/** What follows the path of the webhook. */
const SUFFIXES = [
	...['', '/', '?secret=', '?secret=a&secret=b', '?secret[]=a', '?secret[__proto__]=a', '#a'],
	...['?a[b][c][d]=1', '?__proto__=x', '?%00', '?%ff%fe', '?secret=%E0%A4%A'],
	`?secret=${'a'.repeat(12_000)}`,
];

/** Also lists of signatures that have thousands of parts. */
const SECRETS = [
	...['Bearer ', '[object Object]', '__proto__', 'é'.repeat(1_000), 'e3b0c442'.repeat(8)],
	...['s, '.repeat(2_000), `sha256=${'=|;'.repeat(2_000)}`, `,${'v1,'.repeat(2_000)}`],
];

/** None is XML: after some that are broken, n8n answers no call with XML any more, at whatever webhook. */
const TYPES = [
	...['', ';;;charset', '__proto__', 'text/plain', 'text/x-odd', 'application/octet-stream'],
	...['application/json', 'application/json, text/plain', 'application/json; charset=utf-16le'],
	...[FORM, 'multipart/form-data; boundary=x'],
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

/** Where a trigger looks for what proves a call, and how a call says something there. */
const PLACES: Array<[INodeParameters, (secret: string) => Record<string, string>]> = [
	[{}, (secret) => ({ 'x-webhook-secret': secret })],
	[{ verification: 'signature' }, (secret) => ({ 'x-signature': secret })],
	[{ secretIn: 'query', parameterName: 'a' }, () => ({})],
];

/** So many requests are one test, which has minutes for them. Each entry of the lists occurs in them. */
const ROUND = 100;
/** So many of them are under way at a time. */
const LANES = 4;

/** An entry of a list, which begins anew at its end. No two lengths have a common factor, so that all entries meet. */
const nth = <Entry>(list: readonly Entry[], index: number): Entry => list[index % list.length];

/** Sends a request to a trigger, and gives the status of its answer; 0 where n8n has hung up. */
async function statusOf(index: number, flows: readonly Flow[]): Promise<number> {
	const body = nth(BODIES, index);
	const secret = nth(SECRETS, index);
	const suffix = nth(SUFFIXES, index);
	const [{ secretIn }, prove] = nth(PLACES, index);
	const query = secretIn
		? `${suffix.includes('?') ? '&' : '?'}a=${encodeURIComponent(secret)}`
		: '';
	const headers = {
		host: 'n8n',
		'content-length': String(Buffer.byteLength(body)),
		'content-type': nth(TYPES, index),
		...prove(secret),
		...(Buffer.isBuffer(body) && { 'content-encoding': 'gzip' }),
	};
	const call = request({
		port: sandbox.n8n.port,
		host: '127.0.0.1',
		path: `/webhook/${nth(flows, index).path}${suffix}${query}`,
		method: 'POST',
		headers: Object.entries(headers)
			.flat()
			.map((each) => Buffer.from(each).toString('latin1')),
	});
	call.end(body);
	try {
		const [{ statusCode = 0 }]: IncomingMessage[] = await once(call, 'response');
		return statusCode;
	} catch {
		return 0;
	} finally {
		call.destroy();
	}
}

/** Has n8n write something into its log that occurs once: it names the headers of a call that it refuses. */
async function markLog(flow: Flow): Promise<string> {
	const mark = `x-${randomUUID()}`;
	await callTrigger(flow, { headers: { [mark]: 'a' } });
	return mark;
}

/**
 * Tests this in so many rounds, each of other requests. n8n itself refuses some of them.
 *
 * @param least how many of all requests have a secret or a signature that is compared
 */
export function testHostile(rounds: number, least: number): void {
	describe('hostile requests to the trigger', () => {
		const flows: Flow[] = [];
		let compared = 0;

		beforeAll(async () => {
			for (const [parameters] of PLACES)
				flows.push(await sandbox.activate([sandbox.trigger(parameters)]));
		});

		test.each(Array.from({ length: rounds }, (_, round) => round))(
			'start nothing, and n8n goes on answering: round %i',
			async (round) => {
				const begin = await markLog(flows[0]);
				const statuses: number[] = [];
				const indexes = Array.from({ length: ROUND }, (_, index) => round * ROUND + index).values();
				const lane = async () => {
					for (const index of indexes) statuses.push(await statusOf(index, flows));
				};
				await Promise.all(Array.from({ length: LANES }, lane));
				const end = await markLog(flows[0]);
				await until('the log has all of it', () => sandbox.n8n.log().includes(end));
				expect(statuses.filter((status) => status >= 200 && status < 300)).toEqual([]);
				const [, written = ''] = sandbox.n8n.log().split(begin);
				compared += written.match(/does not match/g)?.length ?? 0;
				expect(written).not.toContain(SECRET);
				for (const flow of flows) await outputs(flow, 0);
			},
		);

		test('were compared, and a right one starts the workflow', async () => {
			expect(compared).toBeGreaterThanOrEqual(least);
			expect((await post(flows[0], '{"ok":1}')).status).toBe(200);
			expect(await outputs(flows[0], 1)).toEqual([{ ok: 1 }]);
		});
	});
}
