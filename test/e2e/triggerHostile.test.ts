/** A campaign of hostile requests against the trigger in a real n8n. */
import { createHmac, generateKeyPairSync } from 'node:crypto';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { webhookNode } from '../../sandbox/n8n/workflows.ts';
import { outputs, post, SECRET } from './events.ts';
import {
	hostileRequests,
	isUnfinished,
	sendHostile,
	type Answer,
	type HostileRequest,
} from './hostileRequests.ts';

jest.setTimeout(15 * START_TIMEOUT_MS);

const SEED = 20_260_301;
/** Requests are made and sent in batches, since some have large bodies: 10,000 with HOSTILE_BATCHES=10. */
const BATCHES = Number(process.env.HOSTILE_BATCHES ?? 1);
const BATCH_SIZE = 1_000;
/** So few that n8n, which takes some dozens of calls a second, answers each within the patience of its sender. */
const CONNECTIONS = 20;
const ENVIRONMENT = { N8N_PAYLOAD_SIZE_MAX: '1' };

let sandbox: Sandbox;
/** n8n's own Webhook node, to compare with: in its version 1, since n8n reads the body of a call by that number. */
let own: Flow;

beforeAll(async () => {
	sandbox = await startSandbox({
		service: { messages: 0, agent: { enabled: false } },
		n8n: { env: ENVIRONMENT },
		credential: { data: { webhookSecret: SECRET } },
	});
	own = await sandbox.activate([{ ...webhookNode('own-webhook'), typeVersion: 1 }]);
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

/** How long an answer is waited for: not long where none is due. */
const usualPatience = (request: HostileRequest) => (isUnfinished(request) ? 300 : 3_000);

/** Sends to a workflow, with these headers in front of the hostile ones. */
const send = (
	flow: Flow,
	request: HostileRequest,
	first?: string[],
	patienceMs = usualPatience(request),
) =>
	sendHostile(
		{ port: sandbox.n8n.port, path: `/webhook/${flow.path}`, patienceMs, first },
		request,
	);

/** Sends all requests, some at the same time. */
async function campaign(
	requests: HostileRequest[],
	sendOne: (request: HostileRequest, index: number) => Promise<Answer>,
): Promise<Answer[]> {
	const answers: Answer[] = [];
	const left = [...requests.entries()];
	const worker = async () => {
		for (let next = left.shift(); next; next = left.shift()) {
			const [index, request] = next;
			answers[index] = await sendOne(request, index);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
	return answers;
}

/** An answer that is n8n's fault; no answer at all is one, unless the request did not end. */
const isFailure = (answer: Answer, request: HostileRequest) =>
	typeof answer === 'number' ? answer >= 500 : answer === 'silence' && !isUnfinished(request);

/** A request that failed, and the workflow that it went to. */
interface Failed {
	request: HostileRequest;
	flow: Flow;
}

function failuresOf(
	requests: HostileRequest[],
	answers: Answer[],
	flowOf: (index: number) => Flow,
): Failed[] {
	return requests.flatMap((request, index) =>
		isFailure(answers[index] ?? 'silence', request) ? [{ request, flow: flowOf(index) }] : [],
	);
}

/** Of the failures, those that come again and that n8n's own node does not have for the same request. */
async function ownFailures(failed: Failed[], first: string[] = []): Promise<object[]> {
	const failing = async (requests: Failed[], flowOf: (each: Failed) => Flow) => {
		// On a busy machine n8n loses its database for a moment, and says so to everybody.
		await until('n8n is ready', async () => {
			return (await fetch(`${sandbox.n8n.url}/healthz/readiness`)).ok;
		});
		const answers = await campaign(
			requests.map(({ request }) => request),
			(request, index) => send(flowOf(requests[index]), request, first, 8_000),
		);
		return requests.filter(({ request }, index) => isFailure(answers[index] ?? 'silence', request));
	};
	const again = await failing(failed, ({ flow }) => flow);
	const theirs = new Set(await failing(again, () => own));
	const onlyOurs = again.filter((each) => !theirs.has(each));
	const certain = await failing(onlyOurs, ({ flow }) => flow);
	return certain.map(({ request }) => {
		return { ...request, body: request.body.subarray(0, 200).toString() };
	});
}

function tally(answers: Answer[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
	return counts;
}

async function expectAlive(): Promise<void> {
	expect((await fetch(`${sandbox.n8n.url}/healthz`)).status).toBe(200);
	expect(Reflect.get({}, 'polluted')).toBeUndefined();
}

/** A public key whose private key nobody has. */
const PUBLIC_KEY = generateKeyPairSync('ed25519')
	.publicKey.export({ format: 'pem', type: 'spki' })
	.toString();

const scheme = (name: string) => ({ verification: 'signature', scheme: name });

test('hostile requests without a valid secret start nothing and break nothing', async () => {
	const withPublicKey = await sandbox.addCredential({ webhookSecret: PUBLIC_KEY });
	const flows = await Promise.all([
		sandbox.activate([sandbox.trigger({})]),
		sandbox.activate([sandbox.trigger({ secretIn: 'query' })]),
		sandbox.activate([
			sandbox.trigger({
				verification: 'signature',
				signature: { timestampHeader: 'X-Timestamp', signedContent: '{timestamp}.{body}' },
			}),
		]),
		sandbox.activate([sandbox.trigger(scheme('github'))]),
		sandbox.activate([sandbox.trigger(scheme('stripe'))]),
		sandbox.activate([sandbox.trigger(scheme('twilio'))]),
		sandbox.activate([
			sandbox.trigger(
				{
					verification: 'signature',
					signature: { algorithm: 'ed25519', separator: 'comma' },
				},
				{ credentials: withPublicKey },
			),
		]),
		sandbox.activate([
			sandbox.trigger({
				verification: 'signature',
				signature: { signedContent: `${'{url}{query}{fields}'.repeat(23)}{body}` },
			}),
		]),
	]);
	const flowOf = (index: number) => flows[index % flows.length] ?? own;

	const counts: Record<string, number>[] = [];
	const failed: Failed[] = [];
	for (let batch = 0; batch < BATCHES; batch++) {
		const requests = hostileRequests(BATCH_SIZE, SEED + 100 * batch);
		const answers = await campaign(requests, (request, index) => send(flowOf(index), request));
		counts.push(tally(answers));
		expect(answers).toHaveLength(BATCH_SIZE);
		expect(
			answers.filter((answer) => typeof answer === 'number' && answer < 300 && answer !== 204),
		).toEqual([]);
		failed.push(...failuresOf(requests, answers, flowOf));
	}
	expect(await ownFailures(failed)).toEqual([]);
	console.log('Without a secret:', counts);
	await expectAlive();

	for (const flow of flows) await outputs(flow, 0);
	const [inHeader, inQuery, signed] = flows;
	expect((await post(inHeader, '{"ok":1}')).status).toBe(200);
	expect(await outputs(inHeader, 1)).toEqual([{ ok: 1 }]);
	const inAddress = `${inQuery.url}?secret=${SECRET}`;
	expect((await fetch(inAddress, { method: 'POST' })).status).toBe(200);
	expect(await outputs(inQuery, 1)).toEqual([{}]);
	const time = new Date().toISOString();
	const signature = createHmac('sha256', SECRET).update(`${time}.{"ok":1}`).digest('hex');
	const proof = { 'x-timestamp': time, 'x-signature': signature };
	expect((await post(signed, '{"ok":1}', proof)).status).toBe(200);
	expect(await outputs(signed, 1)).toEqual([{ ok: 1 }]);
});

test('200 hostile requests with the secret break nothing that n8n itself does not', async () => {
	const flow = await sandbox.activate([
		sandbox.trigger({
			events: ['a', '1'],
			filters: { inboxIds: ['1'] },
			options: { fullRequest: true, deliveryField: 'a' },
		}),
	]);
	const open = await sandbox.activate([
		sandbox.trigger({ options: { fullRequest: true, deliveryField: 'a' } }),
	]);
	const proof = [`x-webhook-secret: ${SECRET}`];
	// A second header of the name would be joined to the first one.
	const requests = hostileRequests(200, SEED + 1).map((request) => ({
		...request,
		method: 'POST',
		headers: request.headers.filter((header) => !header.startsWith('x-webhook-secret')),
	}));
	const flowOf = (index: number) => (index % 2 === 0 ? flow : open);
	const answers = await campaign(requests, (request, index) => send(flowOf(index), request, proof));
	console.log('With the secret:', tally(answers));
	expect(await ownFailures(failuresOf(requests, answers, flowOf), proof)).toEqual([]);
	await expectAlive();
	expect((await post(open, '{"ok":1}')).status).toBe(200);
});
