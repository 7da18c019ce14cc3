import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { EXIT_WITH_PARENT, SANDBOX } from '../../sandbox/n8n/paths.ts';
import type { Backend } from '../../sandbox/n8n/sandbox.ts';
import { controlPath } from '../../sandbox/service/control.ts';
import type { AcceptedCall, Counts, SettingsPatch } from '../../sandbox/service/service.ts';

const START_TIMEOUT_MS = 60_000;
const ADDRESS = /^Messaging service at (http:\S+)$/;

/** The stand-in for the service, in a process of its own: its work is not to count. */
export interface StandIn extends Backend {
	configure(settings: SettingsPatch): Promise<void>;
	/** Forgets what has arrived so far. */
	forgetRequests(): Promise<void>;
	counts(): Promise<Counts>;
	accepted(): Promise<AcceptedCall[]>;
}

/** Starts a stand-in with so many messages, without latency, rate limit or running agents. */
export async function startStandIn(messages: number): Promise<StandIn> {
	const child = spawn(
		process.execPath,
		[
			...['--import', pathToFileURL(EXIT_WITH_PARENT).href],
			join(SANDBOX, 'service', 'main.ts'),
			...['--port', '0', '--messages', String(messages)],
		],
		{ stdio: ['ignore', 'pipe', 'inherit', 'ipc'], detached: process.platform !== 'win32' },
	);
	const exited = once(child, 'exit');
	const close = async () => {
		child.kill('SIGTERM');
		await exited;
	};
	const { stdout } = child;
	if (!stdout) throw new Error('The stand-in has no output.');
	let url: string | undefined;
	const late = setTimeout(() => child.kill(), START_TIMEOUT_MS);
	for await (const line of createInterface(stdout)) {
		[, url] = ADDRESS.exec(line) ?? [];
		if (url) break;
	}
	clearTimeout(late);
	// Nobody reads the rest.
	stdout.resume();
	if (!url) throw new Error('The stand-in did not start.');

	const control = (path: string) => new URL(controlPath + path, url);
	const read = async (path: string) => (await fetch(control(path))).json();
	const write = async (path: string, body: object) => {
		const headers = { 'content-type': 'application/json' };
		const response = await fetch(control(path), {
			method: 'POST',
			headers,
			body: JSON.stringify(body),
		});
		if (!response.ok) throw new Error(`The stand-in refused ${path}: ${await response.text()}`);
	};
	const configure = async (settings: SettingsPatch) => await write('settings', settings);

	await configure({ agent: { enabled: false }, rateLimit: { enabled: false } });
	return {
		url,
		configure,
		forgetRequests: async () => await write('reset', { parts: ['log'] }),
		counts: async () => await read('counts'),
		accepted: async () => await read('accepted'),
		close,
	};
}
