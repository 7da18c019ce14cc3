import { createServer, type Server } from 'node:http';

import Value from 'typebox/value';

import { changeStatus, receiveMessage, sendEvent } from './actions.ts';
import { createApi } from './api.ts';
import { controlPath, createControl, type Control } from './control.ts';
import { listSubscriptions } from './events/subscriptions.ts';
import { Runtime } from './runtime.ts';
import { patched } from './schema.ts';
import { seedSchema, type SeedCounts } from './seed.ts';
import type { SettingsPatch } from './settings.ts';

export { seeded } from './identifiers.ts';
export type { Delivery } from './events/delivery.ts';
export type { EventSettingsPatch } from './events/settings.ts';
export type { Fault, FaultKind, Requests } from './faults.ts';
export type { ReceivedRequest } from './receiveLog.ts';
export type { Settings, SettingsPatch } from './settings.ts';

/** Settings and data to start with. */
export interface ServiceOptions extends SettingsPatch, Partial<SeedCounts> {
	/** Any free one unless given. */
	port?: number;
	/** When "now" is for the seeded dates; the start of the service unless given. */
	now?: Date;
}

/** A running stand-in for the messaging service. */
export interface Service extends Control {
	readonly origin: string;
	readonly port: number;
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
		subscriptions: () => listSubscriptions(runtime.store),
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
