import { findFreePort } from '../n8n/ports.ts';
import { seeded, startService } from '../service/service.ts';
import type { Options } from './options.ts';

/** The service that the nodes talk to: the stand-in or a real one. */
export interface Backend {
	url: string;
	apiKey: string;
	close(): Promise<void>;
}

/** Starts the stand-in, or points to the real service if one was given. */
export async function startBackend({ realService, servicePort }: Options): Promise<Backend> {
	if (realService) return { ...realService, close: async () => undefined };
	const service = await startService({ port: await findFreePort(servicePort) });
	return { url: service.url, apiKey: seeded.demo.apiKey, close: () => service.close() };
}
