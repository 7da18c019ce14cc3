import { startScriptedModel, type ScriptedModel } from '../../sandbox/model/scriptedModel.ts';
import { createCredential, type CredentialReference } from '../../sandbox/n8n/credentials.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/index.ts';
import type { Sandbox } from '../../sandbox/n8n/sandbox.ts';
import { isN8n1 } from '../../sandbox/n8n/versions.ts';

/** For what the node does by itself, whatever the version of n8n, or what n8n 1.x does in another way. */
export const testOnN8n2 = isN8n1 ? test.skip : test;

/** The n8n of a test file, and the stand-in beside it: one start for all tests, since each takes seconds. */
export let sandbox: Sandbox;

/** Starts both before the tests of a file, and stops them after them. */
export function share(start: () => Promise<Sandbox>): void {
	jest.setTimeout(2 * START_TIMEOUT_MS);
	beforeAll(async () => {
		sandbox = await start();
	});
	afterAll(() => sandbox?.stop());
}

/** A language model that does as it is told, and the credential for it in the shared n8n. */
export let model: ScriptedModel;
export let modelCredential: { openAiApi: CredentialReference };

export function shareModel(): void {
	beforeAll(async () => {
		model = await startScriptedModel();
		const openAiApi = await createCredential(sandbox.n8n.rest, {
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'not-needed', url: model.url },
		});
		modelCredential = { openAiApi };
	});
	afterAll(() => model?.close());
}
