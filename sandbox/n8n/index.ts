import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Child } from './child.ts';
import { prepareDatabase } from './database.ts';
import type { Addresses } from './environment.ts';
import { logIn, type Owner, ownerOf } from './owner.ts';
import { installPackage } from './packageInstall.ts';
import { findFreePort, findLastingPort, LOOPBACK } from './ports.ts';
import { startN8nProcess, type Role } from './process.ts';
import { RestClient } from './rest.ts';
import { until } from './until.ts';
import { defaultVersion, type N8nVersion } from './versions.ts';

const READY_TIMEOUT_MS = 90_000;

export interface N8nOptions {
	/** What the process is for; a main unless given. */
	role?: Role;
	/** Where n8n keeps its database. Without it a temporary folder is used and removed at the end. */
	userFolder?: string;
	/** The port that is wanted; another one is taken if it is in use. */
	port?: number;
	env?: Record<string, string>;
	/** The major version; without it, see `defaultVersion`. */
	version?: N8nVersion;
	/** `kept` leaves the package as somebody put it there, or did not. */
	package?: 'kept';
	/** Breaks the start off. */
	signal?: AbortSignal;
}

/** An n8n on this machine, which can be stopped, killed and started again, at the same address. */
export class N8n {
	readonly port: number;
	readonly url: string;
	/** The API that its editor speaks, with the owner logged in. */
	readonly rest: RestClient;
	/** Who may log in to its editor. */
	readonly owner: Owner;
	private readonly addresses: Addresses;
	private readonly options: N8nOptions;
	private process?: Child;
	private earlierLog = '';

	private constructor(options: N8nOptions, addresses: Addresses, owner: Owner) {
		this.options = { ...options };
		this.owner = owner;
		this.addresses = addresses;
		this.port = addresses.port;
		this.url = `http://${LOOPBACK}:${this.port}`;
		this.rest = new RestClient(this.url);
	}

	/** Gets everything ready to start it. */
	static async create(options: N8nOptions = {}): Promise<N8n> {
		const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-sandbox-')));
		const port = options.port ? await findFreePort(options.port) : await findLastingPort();
		await mkdir(userFolder, { recursive: true });
		const addresses = { userFolder, port, brokerPort: await findLastingPort() };
		const n8n = new N8n(options, addresses, await ownerOf(options.userFolder));
		try {
			if (options.userFolder === undefined && options.env?.DB_TYPE === undefined) {
				await prepareDatabase(userFolder, options.version ?? defaultVersion());
			}
			if (options.package !== 'kept') await installPackage(userFolder);
			return n8n;
		} catch (error) {
			await n8n.close();
			throw error;
		}
	}

	/** Where its webhooks are called. */
	get webhookUrl(): string {
		return this.url;
	}

	/** What it has written lately, in all its lives. */
	log(): string {
		return this.earlierLog + (this.process?.log() ?? '');
	}

	/** Settles when n8n has ended, whoever ended it. */
	get exited(): Promise<void> {
		return this.process?.exited ?? Promise.resolve();
	}

	/** Starts it unless it runs, and waits until it does its work; with its settings as before unless given. */
	async start(env = this.options.env): Promise<void> {
		if (this.process) return;
		this.options.env = env;
		this.process = await startN8nProcess(this.addresses, this.options);
		if ((this.options.role ?? 'main') === 'main') await logIn(this.rest, this.owner);
	}

	/** Waits until it says that it has its database and its queue. */
	async ready(): Promise<void> {
		await until(
			`n8n at ${this.url} is ready`,
			() =>
				fetch(`${this.url}/healthz/readiness`).then(
					({ ok }) => ok,
					() => false,
				),
			{ timeoutMs: READY_TIMEOUT_MS },
		);
	}

	/** Lets it end what it does, and then ends it. */
	async stop(): Promise<void> {
		await this.end((process) => process.stop());
	}

	/** Ends it at once, without a chance to tidy up, as a crash does. */
	async kill(): Promise<void> {
		await this.end((process) => process.kill());
	}

	async restart(env?: Record<string, string>): Promise<void> {
		await this.stop();
		await this.start(env);
	}

	/** Stops it for good. A temporary folder is removed, so there is nothing that n8n would have to tidy up. */
	async close(): Promise<void> {
		if (this.options.userFolder !== undefined) return await this.stop();
		await this.kill();
		await rm(this.addresses.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	private async end(how: (process: Child) => Promise<void>): Promise<void> {
		const { process } = this;
		if (!process) return;
		await how(process);
		this.earlierLog = this.log();
		this.process = undefined;
	}
}

/** Starts a real n8n with the package installed, on this machine only, and logs in. */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const n8n = await N8n.create(options);
	try {
		await n8n.start();
		return n8n;
	} catch (error) {
		await n8n.close();
		throw error;
	}
}
