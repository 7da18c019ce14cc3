import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import Fastify from 'fastify';
import Type from 'typebox';
import Value from 'typebox/value';

import {
	changeStatus,
	receiveMessage,
	sendEvent,
	type EventRequest,
	type InboundMessage,
	type StatusChange,
} from './actions.ts';
import { createApi } from './api.ts';
import type { Message } from './contract.ts';
import type { Delivery } from './events/outbox.ts';
import type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
import { Runtime, type Resettable } from './runtime.ts';
import { check, closed, patched } from './schema.ts';
import { seedSchema, type SeedCounts } from './seed.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import type { Subscription, Team } from './store.ts';

export { seeded } from './identifiers.ts';
export type { Delivery } from './events/outbox.ts';
export type { EventSettingsPatch } from './events/settings.ts';
export type { Fault, FaultKind, Requests } from './faults.ts';
export type { ReceivedRequest } from './receiveLog.ts';
export type { Settings, SettingsPatch } from './settings.ts';

/** Where the control path begins. No path of the interface does. */
export const controlPath = '/__control/';

const resetSchema = Type.Union([
	closed({ parts: Type.Optional(Type.Array(Type.Enum(['data', 'settings', 'log']))) }),
	Type.Null(),
]);

/** Settings and data to start with. */
export interface ServiceOptions extends SettingsPatch, Partial<SeedCounts> {
	/** Any free one unless given. */
	port?: number;
	/** When "now" is for the seeded dates; the start of the service unless given. */
	now?: Date;
}

/** A running stand-in for the messaging service. */
export interface Service {
	/** What a customer enters as the base URL: the origin and the dialect's base path. */
	readonly url: string;
	readonly origin: string;
	readonly port: number;
	settings(): Settings;
	/** Changes settings while running; resolves when requests are served accordingly. Wrong ones are refused. */
	configure(patch: SettingsPatch): Promise<Settings>;
	/** Sets back parts of the state, all unless given. */
	reset(...parts: Resettable[]): Promise<void>;
	/** The teams with their data as it is now. */
	teams(): Team[];
	received(): readonly ReceivedRequest[];
	/** Accepted webhook calls in order. */
	accepted(): readonly AcceptedCall[];
	counts(): Counts;
	/** A contact writes a message now; undefined when there is no such team or inbox. */
	receiveMessage(message?: InboundMessage): Message | undefined;
	/** A message's status changes now; undefined when there is no such message. */
	changeStatus(change: StatusChange): Message | undefined;
	/** Sends an event of the demo team without anything having happened. */
	emit(event?: EventRequest): Delivery[];
	/** Events on their way to subscribers, with all attempts so far. */
	deliveries(): readonly Delivery[];
	/** The subscriptions that clients made and did not delete. */
	subscriptions(): Array<Subscription & { team: string }>;
	/** Resolves when no delivery is pending. */
	deliveriesSettled(): Promise<void>;
	/** Closes at once, with all open connections. */
	close(): Promise<void>;
}

/** Starts the stand-in on the loopback interface. What is no option is refused. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { port = 0, now = new Date(), messages, inboxes, templates, ...settings } = options;
	const usual = Value.Create(seedSchema);
	const runtime = new Runtime(
		settings,
		patched(seedSchema, usual, { messages, inboxes, templates }),
		now,
	);
	let api = await createApi(runtime);

	const service: Service = {
		get url() {
			return service.origin + runtime.settings.dialect.basePath;
		},
		get origin() {
			return `http://127.0.0.1:${service.port}`;
		},
		get port() {
			return portOf(server);
		},
		settings: () => runtime.settings,
		async configure(change) {
			runtime.apply(change);
			// Paths and parameter names are built into the Api.
			if (change.dialect || change.events?.endpoint) api = await createApi(runtime);
			return runtime.settings;
		},
		async reset(...parts) {
			runtime.reset(parts.length === 0 ? ['data', 'settings', 'log'] : parts);
			api = await createApi(runtime);
		},
		teams: () => [...runtime.store.teams.values()],
		received: runtime.log.received,
		accepted: runtime.log.accepted,
		counts: runtime.log.counts,
		receiveMessage: (message) => receiveMessage(runtime.store, message),
		changeStatus: (change) => changeStatus(runtime.store, change),
		emit: (event) => sendEvent(runtime.store, runtime.outbox, event),
		deliveries: () => runtime.outbox.deliveries(),
		deliveriesSettled: () => runtime.outbox.settled(),
		subscriptions: () =>
			[...runtime.store.teams.values()].flatMap((team) =>
				[...team.subscriptions.values()].map((one) => ({ ...one, team: team.id })),
			),
		close() {
			runtime.stop();
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			return closed;
		},
	};

	const control = await createControl(service);
	const server = createServer((request, response) => {
		if (request.url?.startsWith(controlPath)) control(request, response);
		else api.handle(request, response);
	});
	// Clients that keep connections should not find them closed in the pauses of a test.
	server.keepAliveTimeout = 65_000;
	await listen(server, port);
	return service;
}

function listen(server: Server, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			server.off('error', reject);
			resolve();
		});
	});
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The service is closed');
	return address.port;
}

/**
 * Builds the control path: some methods of a running service over HTTP, for other processes. It is neither
 * part of the interface nor counted, and faults and latency do not touch it.
 */
async function createControl(
	service: Service,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
	const app = Fastify();
	const path = (name: string) => controlPath + name;

	app.get(path('state'), () => ({
		url: service.url,
		settings: service.settings(),
		teams: service.teams().map(({ name, apiKey, webhooks, inboxes, messages, templates }) => ({
			name,
			apiKey,
			webhooks: [...webhooks.values()],
			inboxes: inboxes.length,
			messages: messages.length,
			templates: templates.length,
		})),
		counts: service.counts(),
	}));
	app.get(path('received'), () => service.received());
	app.post<{ Body: SettingsPatch }>(path('settings'), ({ body }) => service.configure(body));
	app.post(path('reset'), async ({ body }) => {
		await service.reset(...(check(resetSchema, body)?.parts ?? []));
		return service.settings();
	});
	app.post<{ Body: InboundMessage }>(path('messages'), ({ body }, reply) => {
		const message = service.receiveMessage(body);
		if (message === undefined) return reply.code(404).send({ message: 'No such team or inbox' });
		return reply.code(201).send(message);
	});
	await app.ready();
	return (request, response) => app.routing(request, response);
}
