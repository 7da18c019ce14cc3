import { findFreePort } from '../n8n/ports.ts';
import { seeded, startService, type Service } from '../service/service.ts';
import type { Options } from './options.ts';

/** The service that the nodes talk to: the stand-in or a real one. */
export interface Backend {
	url: string;
	apiKey: string;
	/** The stand-in, if it is that. */
	standIn?: StandIn;
	close(): Promise<void>;
}

/** A stand-in that sends a secret with its events. */
export interface StandIn {
	service: Service;
	webhookSecret: string;
}

/** Starts the stand-in, or points to the real service if one was given. */
export async function startBackend({ realService, servicePort }: Options): Promise<Backend> {
	if (realService) return { ...realService, close: async () => undefined };
	const service = await startService({
		port: await findFreePort(servicePort),
		events: { signing: { kind: 'sharedSecret' } },
	});
	return {
		url: service.url,
		apiKey: seeded.demo.apiKey,
		standIn: { service, webhookSecret: service.settings().events.signing.secret },
		close: () => service.close(),
	};
}
