import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { logIn } from './owner.ts';
import { installPackage, type PackageSource } from './packageInstall.ts';
import { findFreePort, LOOPBACK } from './ports.ts';
import { N8nStartError, startN8nProcess, type N8nProcess } from './process.ts';
import { RestClient } from './rest.ts';
import type { N8nVersion } from './versions.ts';

const START_ATTEMPTS = 3;

export interface N8nOptions {
	/** Where n8n keeps its database. Without it a temporary folder is used and removed afterwards. */
	userFolder?: string;
	/** The port that is wanted; another one is taken if it is in use. */
	port?: number;
	env?: Record<string, string>;
	/** The major version; without it, see `defaultVersion`. */
	version?: N8nVersion;
	package?: PackageSource;
	/** Breaks the start off. */
	signal?: AbortSignal;
}

/** A running n8n with the owner logged in. */
export interface N8n {
	url: string;
	port: number;
	rest: RestClient;
	log(): string;
	/** Settles when n8n has ended, whoever ended it. */
	exited: Promise<void>;
	stop(): Promise<void>;
	/** Ends n8n at once, without a chance to tidy up, as a crash does. */
	kill(): Promise<void>;
}

interface Listening {
	child: N8nProcess;
	port: number;
}

async function startOnFreePort(
	userFolder: string,
	{ port: preferred, env, version, signal }: N8nOptions,
): Promise<Listening> {
	for (let attempt = 1; ; attempt++) {
		const port = await findFreePort(preferred);
		const brokerPort = await findFreePort();
		try {
			const addresses = { userFolder, port, brokerPort };
			return { child: await startN8nProcess(addresses, { env, version, signal }), port };
		} catch (error) {
			// Between the look and the start another process can take a port.
			const raced = error instanceof N8nStartError && error.portTaken;
			if (!raced || attempt === START_ATTEMPTS) throw error;
		}
	}
}

/** Starts a real n8n with the package installed, on this machine only, and logs in. */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const temporary = options.userFolder === undefined;
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-sandbox-')));
	const cleanUp = async () => {
		if (temporary) await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	let child: N8nProcess | undefined;
	try {
		await mkdir(userFolder, { recursive: true });
		await installPackage(userFolder, options.package ?? 'packed');
		const listening = await startOnFreePort(userFolder, options);
		child = listening.child;
		const { stop, kill, log, exited } = child;
		const url = `http://${LOOPBACK}:${listening.port}`;
		const rest = new RestClient(url);
		await logIn(rest);
		return {
			url,
			port: listening.port,
			rest,
			log,
			exited,
			stop: async () => {
				await stop();
				await cleanUp();
			},
			kill: async () => {
				await kill();
				await cleanUp();
			},
		};
	} catch (error) {
		await child?.stop();
		await cleanUp();
		throw error;
	}
}

export { OWNER } from './owner.ts';
