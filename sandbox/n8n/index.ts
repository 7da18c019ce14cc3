import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { startChild, type Child } from './child.ts';
import { prepareDatabase } from './database.ts';
import { n8nEnvironment, type Addresses } from './environment.ts';
import { logIn, type Owner, ownerOf } from './owner.ts';
import { installPackage } from './packageInstall.ts';
import { PRELOADED } from './paths.ts';
import { findFreePort, findLastingPort, LOOPBACK } from './ports.ts';
import { RestClient } from './rest.ts';
import { chosenN8n } from './versions.ts';

/** On a busy machine, n8n takes a while to start. */
export const START_TIMEOUT_MS = 120_000;

/** How the files of the log of events begin, whatever process writes them. */
const EVENT_LOG = 'n8nEventLog';

/**
 * What an n8n process is for: its command, and the line of its log that says that it does its work.
 * (/healthz answers before the REST routes and webhooks exist.)
 */
const ROLES = {
	main: { command: 'start', ready: 'Editor is now accessible' },
	worker: { command: 'worker', ready: 'n8n worker is now ready' },
	webhook: { command: 'webhook', ready: 'Webhook listener waiting for requests' },
};

export interface N8nOptions {
	/** What the process is for; a main unless given. */
	role?: keyof typeof ROLES;
	/** Where n8n keeps its database. Without it a temporary folder is used and removed at the end. */
	userFolder?: string;
	/** The port that is wanted; another one is taken if it is in use. */
	port?: number;
	env?: Record<string, string>;
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

	private constructor(options: N8nOptions, addresses: Addresses, owner: Owner) {
		this.options = options;
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
				await prepareDatabase(userFolder);
			}
			if (options.package !== 'kept') await installPackage(userFolder);
			return n8n;
		} catch (error) {
			await n8n.close();
			throw error;
		}
	}

	/** What it has written lately. */
	log(): string {
		return this.process?.log() ?? '';
	}

	/** The process that it runs in, if it does. */
	get pid(): number | undefined {
		return this.process?.pid;
	}

	/** Settles when n8n has ended, whoever ended it. */
	get exited(): Promise<void> {
		return this.process?.exited ?? Promise.resolve();
	}

	/** Starts it, and waits until it does its work: a main until its editor, REST routes and webhooks answer. */
	async start(env = this.options.env): Promise<void> {
		const { role = 'main', signal } = this.options;
		const { command, ready } = ROLES[role];
		const n8n = chosenN8n;
		this.process = await startChild({
			name: 'n8n',
			command: [n8n.node, ...['--import', pathToFileURL(PRELOADED).href, n8n.bin, command]],
			spawn: {
				// n8n reads `.env` from the working folder: that of the sandbox is nobody's business.
				cwd: this.addresses.userFolder,
				env: n8nEnvironment(this.addresses, n8n.node, { ...n8n.env, ...env }),
				stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
				// With its task runner in a process group.
				detached: process.platform !== 'win32',
			},
			ready,
			timeoutMs: START_TIMEOUT_MS,
			signal,
		});
		if (role === 'main') await logIn(this.rest, this.owner);
	}

	/** Lets it end what it does, and then ends it. */
	async stop(): Promise<void> {
		await this.process?.stop();
		this.process = undefined;
	}

	/** Ends it at once, without a chance to tidy up, as a crash does. */
	async kill(): Promise<void> {
		await this.process?.kill();
		this.process = undefined;
	}

	/**
	 * Ends it as a crash does, and starts it again.
	 *
	 * @param keepsLog whether it still has its log of events, from which it learns what was under way
	 */
	async crash(keepsLog = true): Promise<void> {
		await this.kill();
		if (!keepsLog) await this.loseEventLog();
		await this.start();
	}

	/** Stops it for good. A temporary folder is removed, so there is nothing that n8n would have to tidy up. */
	async close(): Promise<void> {
		if (this.options.userFolder !== undefined) return await this.stop();
		await this.kill();
		await rm(this.addresses.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	private async loseEventLog(): Promise<void> {
		const folder = join(this.addresses.userFolder, '.n8n');
		const names = (await readdir(folder)).filter((name) => name.startsWith(EVENT_LOG));
		if (names.length === 0) throw new Error(`n8n has no log of events in ${folder}`);
		await Promise.all(names.map((name) => rm(join(folder, name))));
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
