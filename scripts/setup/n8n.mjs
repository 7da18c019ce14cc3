import { installIfNeeded } from './install.mjs';
import { SANDBOX, SANDBOX_1 } from './paths.mjs';

/** Installs n8n, for whatever runs it. */
export async function setUpN8n() {
	await installIfNeeded({
		folder: SANDBOX,
		name: 'n8n',
		hint: 'once, 2 GB',
		aside: true,
	});
}

/** Installs the last n8n 1.x too, for the tests that run it. */
export async function setUpN8n1() {
	await setUpN8n();
	await installIfNeeded({
		folder: SANDBOX_1,
		name: 'n8n-1.x',
		hint: 'once, 2 GB',
		builtIn: SANDBOX,
		aside: true,
	});
}
