import { installIfNeeded } from './install.mjs';
import { SANDBOX, SANDBOX_1 } from './paths.mjs';

/** Installs the last n8n 1.x, for the tests that run it. */
export async function setUpN8n1() {
	await installIfNeeded({
		folder: SANDBOX_1,
		name: 'n8n-1.x',
		hint: 'about two minutes, once',
		builtIn: SANDBOX,
	});
}
