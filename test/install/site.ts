import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { findFreePort, LOOPBACK } from '../../sandbox/n8n/ports.ts';
import { startService, type Service } from '../../sandbox/service/service.ts';
import { createNpm, runAsUser } from './npm.ts';
import { startRegistry } from './registry.ts';
import { packNextRelease, packRelease, type Release } from './release.ts';

/** An n8n without the package, a registry that has it, and the stand-in for the service. */
export interface Site {
	/** The n8n that runs now. */
	n8n(): N8n;
	service: Service;
	present: Release;
	next: Release;
	/** The folder into which n8n's documentation has packages installed. */
	nodesFolder: string;
	/** Publishes the next release. */
	publishNext(): void;
	/** Runs commands in a shell on the machine of n8n. */
	shell(commands: string): Promise<string>;
	/** Ends n8n and starts it again, with settings of its environment as before unless given. */
	restart(settings?: Record<string, string>): Promise<void>;
	stop(): Promise<void>;
}

/** Starts all of it; to be stopped when the tests are over. */
export async function startSite(settings: Record<string, string> = {}): Promise<Site> {
	const home = await mkdtemp(join(tmpdir(), 'n8n-site-'));
	const work = join(home, 'work');
	await mkdir(work);
	const registry = await startRegistry();
	const service = await startService({ messages: 0, agent: { enabled: false } });
	let n8n: N8n | undefined;
	const stop = async () => {
		await n8n?.stop();
		await service.close();
		registry.close();
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		const path = await createNpm(work, registry);
		const present = await packRelease(work);
		const next = await packNextRelease(present, work);
		registry.publish(present);
		const env = {
			PATH: path,
			// n8n asks its own server about a package, and the public registry past npm: neither is there.
			HTTPS_PROXY: `http://${LOOPBACK}:${await findFreePort()}`,
			NO_PROXY: LOOPBACK,
		};
		let current = settings;
		const start = async () => {
			n8n = await startN8n({ userFolder: home, package: 'kept', env: { ...env, ...current } });
		};
		await start();
		return {
			n8n() {
				if (!n8n) throw new Error('n8n is not running');
				return n8n;
			},
			service,
			present,
			next,
			nodesFolder: join(home, '.n8n', 'nodes'),
			publishNext: () => registry.publish(next),
			shell: (commands) => runAsUser(commands, home, path),
			async restart(changed = current) {
				current = changed;
				await n8n?.stop();
				await start();
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
