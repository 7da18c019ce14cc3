import { createServer, type RequestListener, type Server } from 'node:http';
import { text } from 'node:stream/consumers';

import { createApi } from './api.ts';
import type { Message } from './contract.ts';
import type { Delivery } from './events/outbox.ts';
import { seeded } from './identifiers.ts';
import type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
import { Runtime, type Resettable } from './runtime.ts';
import type { SeedCounts } from './seed.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import { addMessage, type Store, type Subscription, type Team } from './store.ts';

export { seeded } from './identifiers.ts';
export type { Delivery } from './events/outbox.ts';
export type { Fault, FaultKind, Requests } from './faults.ts';
export type { ReceivedRequest } from './receiveLog.ts';
export type { EventSettingsPatch, Settings, SettingsPatch } from './settings.ts';

/** Where the control path begins. No path of the interface does. */
const CONTROL_PATH = '/__control/';

/** Settings and data to start with. */
export interface ServiceOptions extends SettingsPatch, Partial<SeedCounts> {
	/** Any free one unless given. */
	port?: number;
	/** When "now" is for the seeded dates; the start of the service unless given. */
	now?: Date;
}

/** A message from a contact. */
interface InboundMessage {
	/** The contact's phone number. */
	phone?: string;
	body?: string;
}

/** A running stand-in for the messaging service. */
export interface Service {
	/** What a customer enters as the base URL: the origin and the dialect's base path. */
	readonly url: string;
	readonly origin: string;
	readonly port: number;
	settings(): Settings;
	/** Changes settings while running. */
	configure(patch: SettingsPatch): Settings;
	/** Sets back parts of the state, all unless given. */
	reset(...parts: Resettable[]): void;
	/** The teams with their data as it is now. */
	teams(): Team[];
	received(): readonly ReceivedRequest[];
	/** Accepted webhook calls in order. */
	accepted(): readonly AcceptedCall[];
	counts(): Counts;
	/** A contact writes a message to the first inbox of the demo team now. */
	receiveMessage(message?: InboundMessage): Message;
	/** Events on their way to subscribers, with all attempts so far. */
	deliveries(): readonly Delivery[];
	/** The subscriptions that clients made and did not delete. */
	subscriptions(): Subscription[];
	/** Resolves when no delivery is pending. */
	deliveriesSettled(): Promise<void>;
	/** Closes at once, with all open connections. */
	close(): Promise<void>;
}

/** Starts the stand-in on the loopback interface. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
	const { port = 0, now = new Date(), ...others } = options;
	const { messages = 600, inboxes = 36, templates = 48, ...settings } = others;
	const runtime = new Runtime(settings, { messages, inboxes, templates }, now);

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
		configure(change) {
			runtime.apply(change);
			return runtime.settings;
		},
		reset: (...parts) => runtime.reset(parts.length === 0 ? ['data', 'settings', 'log'] : parts),
		teams: () => [...runtime.store.teams.values()],
		received: () => runtime.log.received,
		accepted: () => runtime.log.accepted,
		counts: () => runtime.log.counts(),
		receiveMessage: (message) => receiveMessage(runtime.store, message),
		deliveries: () => runtime.outbox.deliveries(),
		deliveriesSettled: () => runtime.outbox.settled(),
		subscriptions: () => service.teams().flatMap((team) => [...team.subscriptions.values()]),
		close() {
			runtime.stop();
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			return closed;
		},
	};

	const [api, control] = [createApi(runtime), createControl(service)];
	const server = createServer((request, response) => {
		const handle = request.url?.startsWith(CONTROL_PATH) ? control : api;
		handle(request, response);
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

function receiveMessage(
	store: Store,
	{ phone = '+15555550199', body = 'Hello, are you there?' }: InboundMessage = {},
): Message {
	const team = store.teams.get(seeded.demo.apiKey);
	if (team === undefined) throw new Error('The demo team is gone');
	const [inbox = {}] = team.inboxes;
	return addMessage(store, team, { inbox, phone, body, inbound: true, at: Date.now() });
}

/**
 * Builds the control path: some methods of a running service over HTTP, for who tries the demo. It is neither
 * part of the interface nor counted, and faults and latency do not touch it.
 */
function createControl(service: Service): RequestListener {
	const calls: Record<string, ((body: string) => unknown) | undefined> = {
		received: () => service.received(),
		settings: (body) => service.configure(JSON.parse(body)),
		messages: (body) => service.receiveMessage(JSON.parse(body || '{}')),
	};
	return async (request, response) => {
		const call = calls[request.url?.replace(CONTROL_PATH, '') ?? ''];
		try {
			const answer = JSON.stringify(call?.(await text(request)) ?? 'There is no such call');
			response.writeHead(call ? 200 : 404, { 'content-type': 'application/json' }).end(answer);
		} catch (error) {
			response.writeHead(400).end(String(error));
		}
	};
}
