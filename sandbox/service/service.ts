import { createServer } from 'node:http';
import type { Server } from 'node:http';

import { createApi } from './api.ts';
import type { Message } from './contract.ts';
import { controlPath, createControl } from './control.ts';
import type { Delivery } from './events/delivery.ts';
import { sendEvent } from './events/eventRequest.ts';
import type { EventRequest } from './events/eventRequest.ts';
import { listSubscriptions } from './events/subscriptions.ts';
import type { Subscription } from './events/subscriptions.ts';
import { receiveMessage } from './inboundMessage.ts';
import type { InboundMessage } from './inboundMessage.ts';
import type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
import { createRuntime } from './runtime.ts';
import type { Resettable } from './runtime.ts';
import type { SeedOptions } from './seed.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import { changeStatus } from './statusChange.ts';
import type { StatusChange } from './statusChange.ts';
import type { Team } from './store.ts';

export { seeded } from './seed.ts';
export type { Delivery } from './events/delivery.ts';
export type { EventRequest } from './events/eventRequest.ts';
export type { EventSettingsPatch } from './events/settings.ts';
export type { Subscription } from './events/subscriptions.ts';
export type { Fault, FaultKind, Requests } from './faults.ts';
export type { InboundMessage } from './inboundMessage.ts';
export type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
export type { Resettable } from './runtime.ts';
export type { Settings, SettingsPatch } from './settings.ts';
export type { StatusChange } from './statusChange.ts';

/** Settings and data to start with, and the port (any free one unless given). */
export interface ServiceOptions extends SettingsPatch, SeedOptions {
	port?: number;
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
	/** A contact writes a message now; undefined when there is no such team or inbox. */
	receiveMessage(message?: InboundMessage): Message | undefined;
	/** A message's status changes now; undefined when there is no such team or message. */
	changeStatus(change: StatusChange): Message | undefined;
	/** Sends an event without anything having happened; undefined when there is no such team. */
	emit(event?: EventRequest): Delivery[] | undefined;
	/** Events on their way to subscribers, with all attempts so far. */
	deliveries(): readonly Delivery[];
	/** Resolves when no delivery is pending. */
	deliveriesSettled(): Promise<void>;
	/** The subscriptions that clients made and did not delete. */
	subscriptions(): Array<Subscription & { team: string }>;
	/** Closes at once, with all open connections. */
	close(): Promise<void>;
}

/** Starts the stand-in on the loopback interface. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { port = 0, messages, inboxes, templates, now, ...patch } = options;
	const runtime = createRuntime({ messages, inboxes, templates, now }, patch);
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
		subscriptions: () => listSubscriptions(runtime.store),
		close() {
			runtime.agent.stop();
			runtime.outbox.stop();
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
	server.on('connection', (socket) => {
		runtime.log.connectionOpened();
		socket.once('close', runtime.log.connectionClosed);
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
