import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import Fastify from 'fastify';

import { receiveMessage, sendEvent, type EventRequest, type InboundMessage } from './actions.ts';
import { createApi } from './api.ts';
import type { Message } from './contract.ts';
import type { Delivery } from './events/outbox.ts';
import type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
import { Runtime, type Resettable } from './runtime.ts';
import { usualCounts, type SeedCounts } from './seed.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import type { Subscription, Team } from './store.ts';

export { seeded } from './identifiers.ts';
export type { Delivery } from './events/outbox.ts';
export type { Fault, FaultKind, Requests } from './faults.ts';
export type { ReceivedRequest } from './receiveLog.ts';
export type { EventSettingsPatch, Settings, SettingsPatch } from './settings.ts';

/** Where the control path begins. No path of the interface does. */
const controlPath = '/__control/';

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
	/** Changes settings while running; resolves when requests are served accordingly. */
	configure(patch: SettingsPatch): Promise<Settings>;
	/** Sets back parts of the state, all unless given. */
	reset(...parts: Resettable[]): Promise<void>;
	/** The teams with their data as it is now. */
	teams(): Team[];
	received(): readonly ReceivedRequest[];
	/** Accepted webhook calls in order. */
	accepted(): readonly AcceptedCall[];
	counts(): Counts;
	/** A contact writes a message to the demo team now. */
	receiveMessage(message?: InboundMessage): Message;
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

/** Starts the stand-in on the loopback interface. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { port = 0, now = new Date(), messages, inboxes, templates, ...settings } = options;
	const counts = {
		messages: messages ?? usualCounts.messages,
		inboxes: inboxes ?? usualCounts.inboxes,
		templates: templates ?? usualCounts.templates,
	};
	const runtime = new Runtime(settings, counts, now);
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
 * Builds the control path: some methods of a running service over HTTP, for who tries the demo. It is neither
 * part of the interface nor counted, and faults and latency do not touch it.
 */
async function createControl(
	service: Service,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
	const app = Fastify();
	app.get(`${controlPath}received`, () => service.received());
	app.post<{ Body: SettingsPatch }>(`${controlPath}settings`, ({ body }) =>
		service.configure(body),
	);
	app.post<{ Body?: InboundMessage }>(`${controlPath}messages`, ({ body }) =>
		service.receiveMessage(body ?? {}),
	);
	await app.ready();
	return (request, response) => app.routing(request, response);
}
