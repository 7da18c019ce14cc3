import { N8N_BIN } from '../../sandbox/n8n/paths.ts';
import { findChild, memoryNow } from '../rig/procfs.ts';
import { median } from '../statistics.ts';

const INTERVAL_MS = 5_000;

export interface MemorySample {
	/** Seconds since the beginning of the soak. */
	at: number;
	bytes: number;
	/** Counts the starts of n8n. */
	life: number;
}

/** Watches the memory of n8n, over its restarts. */
export class MemoryWatch {
	readonly samples: MemorySample[] = [];
	private readonly began = Date.now();
	private life = 0;
	private pid = 0;
	private timer?: NodeJS.Timeout;

	/** A new n8n has started. */
	async begin(): Promise<void> {
		this.pid = await findChild(N8N_BIN);
		this.life++;
		this.timer = setInterval(() => void this.sample(), INTERVAL_MS);
	}

	/** This n8n is about to end. */
	end(): void {
		clearInterval(this.timer);
	}

	private async sample(): Promise<void> {
		const { life } = this;
		try {
			const bytes = await memoryNow(this.pid);
			if (bytes > 0) this.samples.push({ at: (Date.now() - this.began) / 1_000, bytes, life });
		} catch {
			// It ended between two samples.
		}
	}
}

/** The memory of the longest life, in its middle and its last third, as medians in bytes. */
export function growth(samples: MemorySample[]): { middle: number; last: number } {
	const lives = Object.values(Object.groupBy(samples, ({ life }) => String(life)));
	const longest = lives.toSorted((a, b) => (b?.length ?? 0) - (a?.length ?? 0))[0] ?? [];
	const third = Math.floor(longest.length / 3);
	const bytes = longest.map((sample) => sample.bytes);
	return { middle: median(bytes.slice(third, 2 * third)), last: median(bytes.slice(2 * third)) };
}
