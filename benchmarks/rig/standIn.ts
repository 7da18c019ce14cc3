import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { startChild } from '../../sandbox/n8n/child.ts';
import { EXIT_WITH_PARENT, SANDBOX } from '../../sandbox/n8n/paths.ts';
import type { Backend } from '../../sandbox/n8n/sandbox.ts';
import { controlPath } from '../../sandbox/service/control.ts';
import type { AcceptedCall, Counts, SettingsPatch } from '../../sandbox/service/service.ts';

const START_TIMEOUT_MS = 60_000;
const ADDRESS = /^Messaging service at (http:\S+)$/m;

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
	const child = await startChild({
		name: 'The stand-in',
		command: [
			process.execPath,
			...['--import', pathToFileURL(EXIT_WITH_PARENT).href],
			join(SANDBOX, 'service', 'main.ts'),
			...['--port', '0', '--messages', String(messages)],
		],
		spawn: {
			stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
			detached: process.platform !== 'win32',
		},
		// The end of what it says about itself.
		ready: '__control/state',
		timeoutMs: START_TIMEOUT_MS,
	});
	const [, url = ''] = ADDRESS.exec(child.log()) ?? [];

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
		close: child.stop,
	};
}
