import { ensureDebianPackage } from './debian.mjs';
import { StepError } from './step.mjs';

/** Gets the browser that shows n8n's editor, unless CHROMIUM_PATH names one. */
export async function setUpChromium() {
	if (process.env.CHROMIUM_PATH) return;
	try {
		await ensureDebianPackage('chromium', 'chromium');
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		throw new StepError(
			`${error.message}\nOr name a Chromium or Chrome that you have: CHROMIUM_PATH=/path/to/it`,
		);
	}
}
