/** A service that means harm: whatever it answers, n8n stays up and responsive, and keeps its secrets. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import { pick, placeholderFields } from './editor.ts';
import type { EngineResult } from './engine.ts';
import { run, startStranger } from './service.ts';
import { Trigger } from './trigger.ts';
import { byId, known } from './writes.ts';

const CREDENTIAL = {
	apiKey: 'Key-of-the-team-0001',
	webhookSecret: 'Secret/of+the=webhook',
	previousWebhookSecret: 'the previous secret & more',
};
const { apiKey, webhookSecret } = CREDENTIAL;
const FORMS = Object.values(CREDENTIAL).flatMap((secret) => [
	secret,
	secret.toUpperCase(),
	secret.toLowerCase(),
	encodeURIComponent(secret),
]);
const ECHO = FORMS.join(' | ');

/** How long everything may take, in milliseconds: nobody waits longer in front of the panel. Most take a moment. */
const PATIENCE = 60_000;
/** More than this may not be used on the way, in bytes. */
const MEMORY = 300_000_000;
/** What is shown of an answer, in characters, is for people to read. */
const MOST_SHOWN = 50_000;

const NAMES = ['list', 'webhook', 'picker', 'placeholders', 'activation'] as const;
type Surface = (typeof NAMES)[number];

/** Answers a request, of which there were so many by now. */
type Answer = (response: ServerResponse, requests: number) => unknown;

interface Case {
	name: string;
	answer: Answer;
	/** Requests of a list at most; two unless given. */
	requests?: number;
	/** Who is answered like this, where it is not everybody. */
	by?: Surface[];
}

const COMPRESSED = gzipSync(Buffer.alloc(10_000_000, ' '));

/** 600 kB that become 600 MB. */
const bomb: Answer = async (response) => {
	const parts = Readable.from(Array.from({ length: 60 }, () => COMPRESSED));
	await pipeline(parts, response.writeHead(200, { 'content-encoding': 'gzip' }));
};

/** A blank now and then, without an end. */
const drip: Answer = async (response) => {
	for (response.write('{'); !response.destroyed; response.write(' ')) await sleep(100);
};

/** Answers with a status, headers and a text. */
function plain(status: number, text: string, headers: Record<string, string> = {}): Answer {
	return (response) => response.writeHead(status, headers).end(text);
}

/** Answers with a page that has so many entries. */
function wide(count: number, entry: (index: number) => string): Answer {
	const entries = Array.from({ length: count }, (_, i) => entry(i));
	return plain(200, `{"data":[${entries.join()}],"total":${count},"links":{}}`);
}

const DEEP = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);

/** How a body is read does not depend on who has asked for it. */
const ANY: Surface[] = ['list', 'activation'];
/** These read a list page by page. */
const PAGING: Surface[] = ['list', 'placeholders'];

const CASES: Case[] = [
	{ name: 'a bomb of 600 MB', answer: bomb, by: ANY },
	{ name: 'a slow drip', answer: drip, by: ANY },
	{ name: 'deep', answer: plain(200, '['.repeat(1e6) + ']'.repeat(1e6)), by: ANY },
	{ name: 'deep with an error', answer: plain(400, '['.repeat(5e3) + ']'.repeat(5e3)), by: ANY },
	{ name: 'backslashes', answer: plain(400, `{"message":"${'\\'.repeat(6e6)}"}`), by: ANY },
	{ name: '300,000 equal entries', answer: wide(3e5, () => '{}'), requests: 4, by: PAGING },
	{
		name: '100,000 entries',
		answer: wide(100_000, (i) => `{"id":${i},"name":"n"}`),
		requests: 4,
		by: PAGING,
	},
	{ name: 'deep entries', answer: wide(3, () => DEEP) },
	{ name: 'a secret in all its forms', answer: plain(400, JSON.stringify({ message: ECHO })) },
	{ name: 'a secret that is not as promised', answer: plain(200, JSON.stringify([ECHO])) },
	{
		name: 'a redirect to the secrets',
		answer: plain(302, '', {
			location: `https://${apiKey}.example.com/${encodeURIComponent(webhookSecret)}`,
		}),
	},
	{
		name: 'a link with the secret, then a refusal',
		answer: (response, requests) =>
			requests === 1
				? response.end(`{"data":[{"id":1}],"total":100,"links":{"next":"?cursor=${apiKey}"}}`)
				: response.writeHead(400).end(ECHO),
	},
	{
		name: 'a pause of 15 minutes',
		// Nobody waits for it in front of the panel. A run does, since nothing may get lost.
		by: ['picker', 'placeholders', 'activation'],
		answer: plain(429, '', { 'retry-after': '900', date: 'Sat, 13 Sep 275760 00:00:00 GMT' }),
	},
	{
		name: 'odd headers',
		answer: plain(400, '', {
			date: 'Sat, 13 Sep 275760 00:00:00 GMT',
			'retry-after': '-1e999',
			'content-disposition': "attachment; filename*='''%",
			'content-type': ';;;charset',
			'content-encoding': 'none of these',
		}),
	},
];

type Service = { url: string };

const credentialOf = ({ url }: Service) => ({ baseUrl: url, ...CREDENTIAL });

/** All that n8n shows or keeps of a run, but for its output. */
function shownBy({ error, hints, data }: EngineResult): string {
	const kept = data.resultData.runData.Node?.map((task) => ({ ...task, data: undefined }));
	return [error?.message, error?.description, error?.stack, hints, JSON.stringify(kept)].join('\n');
}

const operation =
	(id: Parameters<typeof run>[1], parameters: INodeParameters) => async (service: Service) => {
		const options = { timeout: 1_500, maxRetries: 0 };
		const credential = credentialOf(service);
		return shownBy(await run(service, id, { ...parameters, options }, { credential }));
	};

const wordsOf = (error: unknown) =>
	error instanceof Error
		? [error.message, Object(error).description, JSON.stringify(error)].join('\n')
		: '';

/** Everything that asks the service, and gives what is shown of its answer. */
const SURFACES: Record<Surface, (service: Service) => Promise<string>> = {
	list: operation('inbox.getAll', { returnAll: true }),
	webhook: operation('agent.start', {
		webhook: byId(known.webhookId),
		phone: '+15555550142',
	}),
	picker: async (service) =>
		await pick(service, 'searchInboxes', '', CREDENTIAL).then(JSON.stringify, wordsOf),
	placeholders: async (service) =>
		await placeholderFields(service, { templateId: 'a' }, CREDENTIAL).then(() => '', wordsOf),
	activation: async (service) =>
		await new Trigger(credentialOf(service)).activate().then(() => '', wordsOf),
};

describe.each(CASES)('$name', ({ answer, requests: most = 2, by = NAMES }) => {
	test.each(by)(
		'does no harm to the %s',
		async (surface) => {
			const before = process.memoryUsage.rss();
			let peak = before;
			const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
			const service = await startStranger(async (response) => {
				try {
					await answer(response, service.requests.length);
				} catch {
					// The node has hung up.
					response.destroy();
				}
			});
			const shown = await SURFACES[surface](service);
			clearInterval(watch);
			expect(peak - before).toBeLessThan(MEMORY);
			expect(service.requests.length).toBeGreaterThan(0);
			expect(service.requests.length).toBeLessThanOrEqual(most);
			expect(shown.length).toBeLessThan(MOST_SHOWN);
			for (const form of FORMS) expect(shown).not.toContain(form);
		},
		PATIENCE,
	);
});
