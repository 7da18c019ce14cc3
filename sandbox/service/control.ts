import type { IncomingMessage, ServerResponse } from 'node:http';

import Fastify from 'fastify';

import { eventRequestSchema } from './events/controlSchemas.ts';
import type { EventRequest } from './events/eventRequest.ts';
import type { InboundMessage } from './inboundMessage.ts';
import type { Resettable } from './runtime.ts';
import type { Service } from './service.ts';
import {
	inboundMessageSchema,
	resetSchema,
	settingsPatchSchema,
	statusChangeSchema,
} from './controlSchemas.ts';
import type { SettingsPatch } from './settings.ts';
import type { StatusChange } from './statusChange.ts';

/** Where the control path begins. No path of the interface does. */
export const controlPath = '/__control/';

/**
 * Builds the control path: a running service's methods over HTTP, for other processes. It is neither
 * part of the interface nor counted, and faults and latency do not touch it.
 */
export async function createControl(
	service: Service,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
	const app = Fastify({
		// A misspelt setting shall be an error, not ignored; a text no number.
		ajv: { customOptions: { removeAdditional: false, coerceTypes: false, strict: false } },
	});
	const path = (name: string) => controlPath + name;

	app.get(path('state'), () => ({
		url: service.url,
		settings: service.settings(),
		teams: service.teams().map((team) => ({
			id: team.id,
			name: team.name,
			apiKey: team.apiKey,
			webhooks: [...team.webhooks.values()],
			inboxes: team.inboxes.length,
			messages: team.messages.length,
			templates: team.templates.length,
			pipelines: [...team.pipelines.keys()],
		})),
		counts: service.counts(),
	}));
	app.get(path('counts'), () => service.counts());
	app.get(path('received'), () => service.received());
	app.get(path('accepted'), () => service.accepted());
	app.get(path('settings'), () => service.settings());
	app.post<{ Body: SettingsPatch }>(
		path('settings'),
		{ schema: { body: settingsPatchSchema } },
		({ body }) => service.configure(body),
	);
	app.post<{ Body: { parts?: Resettable[] } | null }>(
		path('reset'),
		{ schema: { body: resetSchema } },
		async ({ body }) => {
			await service.reset(...(body?.parts ?? []));
			return service.settings();
		},
	);
	app.post<{ Body: InboundMessage }>(
		path('messages'),
		{ schema: { body: inboundMessageSchema } },
		({ body }, reply) => {
			const message = service.receiveMessage(body);
			if (message === undefined) return reply.code(404).send({ message: 'No such team or inbox' });
			return reply.code(201).send(message);
		},
	);
	app.post<{ Body: StatusChange }>(
		path('statuses'),
		{ schema: { body: statusChangeSchema } },
		({ body }, reply) =>
			service.changeStatus(body) ?? reply.code(404).send({ message: 'No such team or message' }),
	);
	app.get(path('subscriptions'), () => service.subscriptions());
	app.get(path('deliveries'), () => service.deliveries());
	app.post<{ Body: EventRequest }>(
		path('events'),
		{ schema: { body: eventRequestSchema } },
		({ body }, reply) => {
			const deliveries = service.emit(body);
			if (deliveries === undefined) return reply.code(404).send({ message: 'No such team' });
			return reply.code(202).send(deliveries);
		},
	);
	await app.ready();
	return (request, response) => app.routing(request, response);
}
