import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium, selectors, type Browser } from 'playwright-core';

/**
 * No sandbox: it cannot be had as root. No optimized code: the editor is loaded again before it pays. All else keeps
 * Chromium from asking the internet.
 */
const ARGUMENTS = [
	'--no-sandbox',
	'--js-flags=--no-opt --no-maglev',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

selectors.setTestIdAttribute('data-test-id');

/** The one that is named, or else the first on the path: `npm test` has seen to it that there is one. */
function findChromium(): string {
	const { CHROMIUM_PATH, PATH = '' } = process.env;
	const onPath = PATH.split(delimiter).map((folder) => join(folder, 'chromium'));
	return CHROMIUM_PATH || (onPath.find((path) => existsSync(path)) ?? 'chromium');
}

/** Starts a Chromium without a window, with a profile of its own that is gone at the end. */
export async function launchChromium(): Promise<Browser> {
	return await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
}
