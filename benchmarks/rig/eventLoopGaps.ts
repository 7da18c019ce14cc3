import { appendFileSync } from 'node:fs';

/**
 * Loaded into n8n's process before n8n: notes in a file when its event loop was held up, and for how long.
 */
const { EVENT_LOOP_GAPS: file } = process.env;
const INTERVAL_MS = 5;
const WORTH_NOTING_MS = 20;

if (file) {
	let last = Date.now();
	const timer = setInterval(() => {
		const now = Date.now();
		const heldUp = now - last - INTERVAL_MS;
		if (heldUp >= WORTH_NOTING_MS) appendFileSync(file, `${last} ${heldUp}\n`);
		last = Date.now();
	}, INTERVAL_MS);
	timer.unref();
}
