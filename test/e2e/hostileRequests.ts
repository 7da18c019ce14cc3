/** Requests that nobody sends in good faith, the same ones in each run. */
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';

import fc from 'fast-check';

/** What is sent over a connection, byte by byte. */
export interface HostileRequest {
	method: string;
	/** What follows the path of the webhook. */
	suffix: string;
	headers: string[];
	body: Buffer;
	/** How the body goes out: as announced, in chunks, or not as announced. */
	framing: 'length' | 'chunked' | 'tooShort' | 'tooLong' | 'brokenChunks' | 'none';
	/** Hangs up when so much of the request has been sent, from 0 to 1; waits for an answer at 1. */
	sent: number;
}

/** A status, or what became of the connection instead. */
export type Answer = number | 'closed' | 'silence';

const or = (...texts: string[]) => fc.constantFrom(...texts);

/** One of the texts between the bars. */
const anyOf = (list: string) => or(...list.split(' | '));

/** Letters of every kind that may stand in a header. */
const junk = (maxLength: number) =>
	fc.string({
		unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
		maxLength,
	});

const method = fc.oneof(
	{ weight: 8, arbitrary: fc.constant('POST') },
	{
		weight: 2,
		arbitrary: anyOf('GET | PUT | PATCH | DELETE | HEAD | OPTIONS | TRACE | PURGE | post | F@O'),
	},
);

const suffix = fc.oneof(
	{ weight: 4, arbitrary: fc.constant('') },
	anyOf('/ | // | ? | ?secret='),
	anyOf('?secret=a&secret=b | ?secret[]=a | ?secret[__proto__]=a | ?a[b][c][d]=1'),
	anyOf('?__proto__=x | ?constructor=x | ?%00 | ?%ff%fe'),
	anyOf('?secret=%E0%A4%A | /../webhook | /%2e%2e | #a'),
	junk(40).map((text) => `?secret=${encodeURIComponent(text)}`),
	fc.integer({ min: 1, max: 12_000 }).map((length) => `?secret=${'a'.repeat(length)}`),
);

const contentType = fc
	.oneof(
		or('', ';;;', '__proto__', 'APPLICATION/JSON', 'text/plain', 'application/octet-stream'),
		anyOf('application/json | application/json, text/plain | application/vnd.api+json'),
		or('utf-8', 'utf-16le', 'x-odd').map((set) => `application/json; charset=${set}`),
		or('', '; charset=latin1').map((set) => `application/x-www-form-urlencoded${set}`),
		anyOf('multipart/form-data | multipart/form-data; boundary=x | multipart/mixed; boundary=x'),
	)
	.map((type) => `content-type: ${type}`);

const secret = fc.oneof(
	or('', ' ', 'Bearer ', 'undefined', 'null', '0', 'true', '[object Object]', '__proto__'),
	junk(60),
	fc.integer({ min: 1, max: 6_000 }).map((length) => 'é'.repeat(length)),
);

/** Lists of signatures, with thousands of parts, in the headers of well-known services. */
const signatures = fc
	.tuple(
		anyOf('x-signature | x-hub-signature-256 | stripe-signature | webhook-signature'),
		or('', 't=1,', 't=99999999999,', 'sha256=', ',', ';', ' '),
		or('v1=00,', 'v1,', 'AAAA,', `${'00'.repeat(64)},`, ',', '=', 'v1=é,'),
		fc.integer({ min: 0, max: 2_000 }),
	)
	.map(([name, start, part, times]) => `${name}: ${(start + part.repeat(times)).slice(0, 12_000)}`);

const header = fc.oneof(
	{ weight: 4, arbitrary: contentType },
	{ weight: 3, arbitrary: secret.map((value) => `x-webhook-secret: ${value}`) },
	{ weight: 2, arbitrary: secret.map((value) => `x-signature: ${value}`) },
	{ weight: 2, arbitrary: signatures },
	{ weight: 2, arbitrary: secret.map((value) => `authorization: Bearer ${value}`) },
	or('x-signature: sha256=', 'x-timestamp: -1', `x-timestamp: ${'9'.repeat(400)}`),
	anyOf('content-encoding: gzip | content-encoding: deflate | content-encoding: x'),
	anyOf('expect: 100-continue | expect: x'),
	anyOf('connection: close | connection: upgrade | upgrade: websocket'),
	or('__proto__: x', 'constructor: x', 'tostring: x', 'cookie: a=b; =; ;;', 'cookie: n8n-auth=x'),
	anyOf('origin: null | x-forwarded-for: ::1, x | x-http-method-override: DELETE'),
	anyOf('content-type: text/xml | if-none-match: * | host: example.com'),
	fc.tuple(or('x-a', 'x-b', 'accept'), junk(200)).map(([name, value]) => `${name}: ${value}`),
	fc.integer({ min: 1, max: 20_000 }).map((length) => `x-long: ${'a'.repeat(length)}`),
);

const deep = fc
	.tuple(fc.integer({ min: 1, max: 30_000 }), or('[]', '{}'))
	.map(([depth, kind]) =>
		kind === '[]'
			? '['.repeat(depth) + ']'.repeat(depth)
			: '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
	);

const text = fc.oneof(
	{ weight: 4, arbitrary: fc.json() },
	fc.string({ unit: 'binary', maxLength: 300 }),
	deep,
	or(
		'{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
		'{"id":{"toString":1},"inbound":{"toString":1,"valueOf":1},"event":[[[]]]}',
		'1e999',
		'"\\ud800"',
	),
	or('{', ']', '{"a":1,}', "{'a':1}", 'NaN', '\uFEFF{}', ' ', '\0', '{"a":"\\u0000"}', ''),
	or(
		'<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;&c;</a>',
		'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
		'<a __proto__="1"><__proto__><polluted>1</polluted></__proto__></a>',
		'<a>',
	),
	or('a=1&__proto__=2&a[b]=3', '&&&===%%%', 'a=%E0%A4%A'),
	fc.integer({ min: 1, max: 3_000 }).map((count) => 'a=1&'.repeat(count)),
	or(
		'--x\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\n1\r\n--x--\r\n',
		'--x\r\ncontent-disposition: form-data; name="f"; filename="../../a"\r\n\r\n1\r\n--x--\r\n',
		'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n',
		'--x',
	),
);

const body = fc.oneof(
	{ weight: 6, arbitrary: text.map((content) => Buffer.from(content)) },
	{
		weight: 2,
		arbitrary: fc.uint8Array({ maxLength: 500 }).map((content) => Buffer.from(content)),
	},
	{ weight: 2, arbitrary: text.map((content) => gzipSync(content)) },
	{ weight: 1, arbitrary: text.map((content) => deflateSync(content)) },
	// Larger than n8n takes it, some of it packed.
	{
		weight: 1,
		arbitrary: fc.integer({ min: 0, max: 1_300_000 }).map((size) => Buffer.alloc(size, 'a')),
	},
	{ weight: 1, arbitrary: fc.constant(gzipSync(Buffer.alloc(3_000_000, ' '))) },
);

const request: fc.Arbitrary<HostileRequest> = fc.record({
	method,
	suffix,
	headers: fc.array(header, { maxLength: 7 }),
	body,
	framing: fc.oneof(
		{ weight: 16, arbitrary: fc.constant<HostileRequest['framing']>('length') },
		{
			weight: 4,
			arbitrary: fc.constantFrom<HostileRequest['framing']>(
				'chunked',
				'tooShort',
				'tooLong',
				'brokenChunks',
				'none',
			),
		},
	),
	sent: fc.oneof(
		{ weight: 19, arbitrary: fc.constant(1) },
		{ weight: 1, arbitrary: fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100) },
	),
});

/** Hostile requests that come out the same each time. */
export function hostileRequests(count: number, seed: number): HostileRequest[] {
	return fc.sample(request, { numRuns: count, seed });
}

/** Where a request goes, and how long an answer is waited for. */
export interface Target {
	port: number;
	path: string;
	patienceMs: number;
	/** Headers in front of the hostile ones. */
	first?: string[];
}

/** Sends a request as it is, and gives what came back. */
export async function sendHostile(
	{ port, path, patienceMs, first = [] }: Target,
	hostile: HostileRequest,
): Promise<Answer> {
	const { method: verb, suffix: end, headers, sent } = hostile;
	const framed = frame(hostile);
	const lines = [
		`${verb} ${path}${end} HTTP/1.1`,
		'host: n8n',
		...first,
		...headers,
		...framed.headers,
	];
	const bytes = Buffer.concat([
		Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
		framed.body,
	]);
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		let answer = '';
		const finish = (outcome: Answer) => {
			resolve(outcome);
			socket.destroy();
		};
		socket.setTimeout(patienceMs, () => finish('silence'));
		socket.on('error', () => finish(statusOf(answer) ?? 'closed'));
		socket.on('close', () => finish(statusOf(answer) ?? 'closed'));
		socket.on('data', (chunk) => {
			answer += chunk.toString('latin1');
			const status = statusOf(answer);
			// 100 is no answer yet.
			if (status !== undefined && status >= 200) finish(status);
		});
		if (sent === 1) socket.write(bytes);
		else
			socket.write(bytes.subarray(0, bytes.length * sent), () => setTimeout(finish, 5, 'closed'));
	});
}

/** Whether a request is one that a server would wait for, since it does not end as it says. */
export function isUnfinished({ framing, sent }: HostileRequest): boolean {
	return framing === 'tooShort' || framing === 'brokenChunks' || sent < 1;
}

function frame({ framing, body: content }: HostileRequest): { headers: string[]; body: Buffer } {
	const length = (difference: number) => [
		`content-length: ${Math.max(content.length + difference, 0)}`,
	];
	const chunk = Buffer.concat([
		Buffer.from(`${content.length.toString(16)}\r\n`),
		content,
		Buffer.from('\r\n0\r\n\r\n'),
	]);
	switch (framing) {
		case 'length':
			return { headers: length(0), body: content };
		case 'tooShort':
			return { headers: length(10), body: content };
		case 'tooLong':
			return { headers: length(-10), body: content };
		case 'chunked':
			return { headers: ['transfer-encoding: chunked'], body: chunk };
		case 'brokenChunks':
			return { headers: ['transfer-encoding: chunked'], body: Buffer.from('zz\r\nabc') };
		case 'none':
			return { headers: [], body: content };
	}
}

function statusOf(answer: string): number | undefined {
	const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
		Number(status),
	);
	return statuses.find((status) => status >= 200) ?? statuses[0];
}
