import { installIfNeeded } from './install.mjs';
import { SANDBOX_1 } from './paths.mjs';

/** Installs the last n8n 1.x, for the tests that run it. */
export async function setUpN8n1() {
	await installIfNeeded({ folder: SANDBOX_1, name: 'n8n-1.x', hint: 'about three minutes, once' });
}
