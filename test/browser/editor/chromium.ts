import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium, selectors, type Browser } from 'playwright-core';

const BINARY = 'chromium';

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

function findChromium(): string {
	const { CHROMIUM_PATH, PATH = '' } = process.env;
	if (CHROMIUM_PATH) return CHROMIUM_PATH;
	const found = PATH.split(delimiter)
		.map((folder) => join(folder, BINARY))
		.find((path) => existsSync(path));
	if (!found) {
		throw new Error(
			'Chromium is needed and not installed. If it is elsewhere, name it: CHROMIUM_PATH=/path/to/it',
		);
	}
	return found;
}

/** Starts a Chromium without a window, with a profile of its own that is gone at the end. */
export async function launchChromium(): Promise<Browser> {
	return await chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });
}
