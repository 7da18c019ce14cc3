import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/n8n/sandbox.ts';

/** The n8n of a test file, and the stand-in beside it: one start for all tests, since each takes seconds. */
export let sandbox: Sandbox;

/** Starts both before the tests of a file, and stops them after them. */
export function shareSandbox(options: SandboxOptions): void {
	jest.setTimeout(2 * START_TIMEOUT_MS);
	beforeAll(async () => {
		sandbox = await startSandbox(options);
	});
	afterAll(() => sandbox?.stop());
}
