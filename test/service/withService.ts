import { startService, type Service, type ServiceOptions } from '../../sandbox/service/service.ts';

/** Runs something with a service of its own. */
export async function withService(
	options: ServiceOptions,
	use: (service: Service) => Promise<void>,
): Promise<void> {
	const service = await startService({ messages: 120, ...options });
	try {
		await use(service);
	} finally {
		await service.close();
	}
}
