import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { upsertCredential } from '../../sandbox/n8n/credentials.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import type { NodeSketch } from '../../sandbox/n8n/workflows.ts';
import {
	seeded,
	startService,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';
import { ACTION_TYPE } from './sandbox.ts';

/** A stand-in, and n8n with a folder that outlives it. */
export interface LastingSandbox {
	service: Service;
	/** The n8n that runs now. */
	n8n(): N8n;
	/** A node of this package, connected to the stand-in. */
	action(name: string, parameters: INodeParameters): NodeSketch;
	/** Ends n8n as its owner would, and starts it again. */
	restart(): Promise<void>;
	/** Ends n8n without a chance to tidy up, and starts it again. */
	crash(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts both; to be stopped when the tests of a file are over. */
export async function startLastingSandbox(options: ServiceOptions): Promise<LastingSandbox> {
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-lasting-'));
	const service = await startService(options);
	let running: N8n | undefined;
	const current = () => {
		if (!running) throw new Error('n8n is not running');
		return running;
	};
	const start = async () => {
		running = await startN8n({ userFolder });
	};
	const stop = async () => {
		await running?.stop();
		await service.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	};
	try {
		await start();
		const credential = await upsertCredential(current().rest, {
			name: 'Stand-in',
			type: CREDENTIAL_TYPE,
			data: { baseUrl: service.url, apiKey: seeded.demo.apiKey },
		});
		return {
			service,
			n8n: current,
			action: (name, parameters) => ({
				name,
				type: ACTION_TYPE,
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
			}),
			async restart() {
				await current().stop();
				await start();
			},
			async crash() {
				await current().kill();
				await start();
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
