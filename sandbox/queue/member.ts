import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { installPackage } from '../n8n/packageInstall.ts';
import { findFreePort, LOOPBACK } from '../n8n/ports.ts';
import { startN8nProcess, type N8nProcess, type Role } from '../n8n/process.ts';

const READY_TIMEOUT_MS = 90_000;
const POLL_MS = 200;

/** Below the ports that Linux gives to outgoing connections, of which there are many here. */
export async function findLastingPort(): Promise<number> {
	return await findFreePort(randomInt(20_000, 32_000));
}

/** One of the n8n processes that work together, with a user folder and ports of its own. */
export class Member {
	readonly url: string;
	private readonly role: Role;
	private readonly settings: Record<string, string>;
	private readonly addresses: { userFolder: string; port: number; brokerPort: number };
	private process?: N8nProcess;
	private earlierLog = '';

	private constructor(
		role: Role,
		settings: Record<string, string>,
		addresses: Member['addresses'],
	) {
		this.role = role;
		this.settings = settings;
		this.addresses = addresses;
		this.url = `http://${LOOPBACK}:${addresses.port}`;
	}

	/** Gets everything ready to start it. */
	static async create(role: Role, port: number, settings: Record<string, string>): Promise<Member> {
		const userFolder = await mkdtemp(join(tmpdir(), `n8n-${role}-`));
		await installPackage(userFolder, 'packed');
		const brokerPort = await findLastingPort();
		return new Member(role, settings, { userFolder, port, brokerPort });
	}

	/** What it has written, in all its lives. */
	log(): string {
		return this.earlierLog + (this.process?.log() ?? '');
	}

	/** Starts it unless it runs, and waits until it does its work. */
	async start(): Promise<void> {
		if (this.process) return;
		const env = { ...this.settings, QUEUE_HEALTH_CHECK_PORT: String(this.addresses.port) };
		this.process = await startN8nProcess(this.addresses, { env, role: this.role });
	}

	/** Waits until it says that it has its database and its queue. */
	async ready(): Promise<void> {
		const deadline = Date.now() + READY_TIMEOUT_MS;
		for (;;) {
			const answer = await this.readiness();
			if (answer === 'ready') return;
			if (Date.now() > deadline) {
				throw new Error(`The ${this.role} is not ready: ${answer}. Its log:\n${this.log()}`);
			}
			await sleep(POLL_MS);
		}
	}

	private async readiness(): Promise<string> {
		try {
			const { ok, status } = await fetch(`${this.url}/healthz/readiness`);
			return ok ? 'ready' : `it answers ${status}`;
		} catch (error) {
			return String(error);
		}
	}

	/** Lets it end what it does, and then ends it. */
	async stop(): Promise<void> {
		await this.end((process) => process.stop());
	}

	/** Ends it at once, as a crash does. */
	async kill(): Promise<void> {
		await this.end((process) => process.kill());
	}

	async remove(): Promise<void> {
		await this.kill();
		await rm(this.addresses.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	private async end(how: (process: N8nProcess) => Promise<void>): Promise<void> {
		const { process } = this;
		if (!process) return;
		await how(process);
		this.earlierLog = this.log();
		this.process = undefined;
	}
}
