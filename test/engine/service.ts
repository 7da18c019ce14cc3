import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import type { NodeOperation } from '../../sandbox/operations.ts';
import {
	seeded,
	startService,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';
import { clock, runNode, type EngineResult, type EngineRun } from './engine.ts';

export type { NodeOperation } from '../../sandbox/operations.ts';

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
	await Promise.all(open.splice(0).map((server) => server.close()));
});

/** Lets the node's pauses pass in no time in a test file; see `EngineClock`. Time-outs of requests are as long as ever. */
export function hurry(): void {
	clock.isInHurry = true;
}

/**
 * Lets pauses of the node, of so many milliseconds, end only when the execution is cancelled, until the test is over.
 * Gives how many there were so far.
 */
export function stopPauses(isStopped: (milliseconds: number) => boolean): () => number {
	const before = clock.stoppedPauses;
	clock.isStopped = isStopped;
	closing({
		close: async () => {
			clock.isStopped = undefined;
		},
	});
	return () => clock.stoppedPauses - before;
}

/** Starts a stand-in that is closed after the test. Its agents are off, so that its data stays. */
export async function start(options: ServiceOptions = {}): Promise<Service> {
	return closing(await startQuietly(options));
}

/** The same for a stand-in that the caller closes. */
export function startQuietly(options: ServiceOptions = {}): Promise<Service> {
	return startService({ messages: 120, agent: { enabled: false }, ...options });
}

/** A place on the loopback interface where nobody listens. */
export async function findNobody(): Promise<Pick<Service, 'url' | 'port'>> {
	const service = await startQuietly({ messages: 0 });
	const { url, port } = service;
	await service.close();
	return { url, port };
}

/** The credential of the demo team. */
export function credentialOf(
	service: Pick<Service, 'url'>,
	more: ICredentialDataDecryptedObject = {},
): ICredentialDataDecryptedObject {
	return { baseUrl: service.url, apiKey: seeded.demo.apiKey, ...more };
}

/** Runs an operation of the node against a service. */
export async function run(
	service: Pick<Service, 'url'>,
	id: NodeOperation,
	parameters: INodeParameters,
	more: Partial<EngineRun> = {},
): Promise<EngineResult> {
	const [resource, operation] = id.split('.');
	return await runNode({
		credential: credentialOf(service),
		parameters: { resource, operation, ...parameters },
		...more,
	});
}

/** The demo team as it is now. */
export function demoTeam(service: Service) {
	const team = service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey);
	if (!team) throw new Error('The demo team is missing');
	return team;
}

/** The demo team's messages as the service lists them: newest first. */
export function messagesOf(service: Service) {
	return demoTeam(service)
		.messages.map(({ message }) => message)
		.reverse();
}

/** The `id` of every object. */
export function idsOf(objects: ReadonlyArray<object>): unknown[] {
	return objects.map((object) => Reflect.get(object, 'id'));
}

/** The only request that a service received. */
export function onlyRequest(service: Service) {
	const [request, ...others] = service.received();
	if (!request || others.length > 0) throw new Error(`${service.received().length} requests`);
	return request;
}

/** Resolves when a service has answered every request that it received. */
export async function allAnswered(service: Service): Promise<void> {
	while (service.received().some(({ status }) => status === 'unanswered')) await sleep(10);
}

/** What the user reads of an error, and which item it names. */
export function wordsOf({ error }: EngineResult) {
	if (!error) throw new Error('The run has no error');
	const { itemIndex } = error.context ?? {};
	return { message: error.message, description: String(error.description), itemIndex };
}

/** The items that an error names behind what became of them, such as "5 refused (0-3, 5: +15555550142)". */
export function itemsNamed(description: string, outcome: string): number[] {
	const [, ranges = ''] = new RegExp(`\\d ${outcome} \\(([^):]*)`).exec(description) ?? [];
	return (ranges.match(/\d+(-\d+)?/g) ?? []).flatMap((range) => {
		const [from = NaN, to = from] = range.split('-').map(Number);
		return Array.from({ length: to - from + 1 }, (_, index) => from + index);
	});
}

/** A server that is not the messaging service, and remembers who came by. */
export interface Stranger {
	readonly url: string;
	readonly requests: Array<{ url: string; headers: IncomingHttpHeaders }>;
	close(): Promise<void>;
}

/** Starts a stranger that gives every request the same answer; closed after the test. */
export async function startStranger(
	answer: (response: ServerResponse) => unknown = (response) => void response.end('{}'),
): Promise<Stranger> {
	const requests: Stranger['requests'] = [];
	const server = createServer(({ url = '', headers }, response) => {
		requests.push({ url, headers });
		answer(response);
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The stranger has no port');
	const { port } = address;
	return closing({
		url: `http://127.0.0.1:${port}`,
		requests,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	});
}

/** A stranger that answers with this status and JSON. */
export function startAnswering(status: number, body: unknown): Promise<Stranger> {
	return startStranger((response) => {
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});
}

function closing<Server extends { close(): Promise<void> }>(server: Server): Server {
	open.push(server);
	return server;
}
