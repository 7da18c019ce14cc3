import type { IncomingMessage, ServerResponse } from 'node:http';

import Fastify from 'fastify';
import Type from 'typebox';

import type { InboundMessage, StatusChange } from './actions.ts';
import type { Message } from './contract.ts';
import type { Delivery } from './events/delivery.ts';
import type { EventRequest } from './events/event.ts';
import type { AcceptedCall, Counts, ReceivedRequest } from './receiveLog.ts';
import type { Resettable } from './runtime.ts';
import { check, closed } from './schema.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import type { Subscription, Team } from './store.ts';

/** Where the control path begins. No path of the interface does. */
export const controlPath = '/__control/';

/** What can be asked of a running service and done to it, by methods and over HTTP. Wrong input is refused. */
export interface Control {
	/** What a customer enters as the base URL: the origin and the dialect's base path. */
	readonly url: string;
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
	/** The subscriptions that clients made and did not delete. */
	subscriptions(): Array<Subscription & { team: string }>;
}

const resetSchema = Type.Union([
	closed({ parts: Type.Optional(Type.Array(Type.Enum(['data', 'settings', 'log']))) }),
	Type.Null(),
]);

/**
 * Builds the control path: a running service's methods over HTTP, for other processes. It is neither
 * part of the interface nor counted, and faults and latency do not touch it.
 */
export async function createControl(
	control: Control,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
	const app = Fastify();
	const path = (name: string) => controlPath + name;

	app.get(path('state'), () => ({
		url: control.url,
		settings: control.settings(),
		teams: control.teams().map((team) => ({
			id: team.id,
			name: team.name,
			apiKey: team.apiKey,
			webhooks: [...team.webhooks.values()],
			inboxes: team.inboxes.length,
			messages: team.messages.length,
			templates: team.templates.length,
			pipelines: [...team.pipelines.keys()],
		})),
		counts: control.counts(),
	}));
	const lists = [
		'settings',
		'counts',
		'received',
		'accepted',
		'deliveries',
		'subscriptions',
	] as const;
	for (const name of lists) app.get(path(name), () => control[name]());

	app.post<{ Body: SettingsPatch }>(path('settings'), ({ body }) => control.configure(body));
	app.post(path('reset'), async ({ body }) => {
		await control.reset(...(check(resetSchema, body)?.parts ?? []));
		return control.settings();
	});
	app.post<{ Body: InboundMessage }>(path('messages'), ({ body }, reply) => {
		const message = control.receiveMessage(body);
		if (message === undefined) return reply.code(404).send({ message: 'No such team or inbox' });
		return reply.code(201).send(message);
	});
	app.post<{ Body: StatusChange }>(path('statuses'), ({ body }, reply) => {
		const message = control.changeStatus(body);
		return message ?? reply.code(404).send({ message: 'No such team or message' });
	});
	app.post<{ Body: EventRequest }>(path('events'), ({ body }, reply) => {
		const deliveries = control.emit(body);
		if (deliveries === undefined) return reply.code(404).send({ message: 'No such team' });
		return reply.code(202).send(deliveries);
	});
	await app.ready();
	return (request, response) => app.routing(request, response);
}
