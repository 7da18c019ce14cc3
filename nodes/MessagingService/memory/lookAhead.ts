import type { Clock } from '../api/clock';

/** Look-ups that take more milliseconds than this are slow. */
const SLOW_LOOK_UP = 50;
/** So many milliseconds of them in a row show that the store is slow. A single one may have waited for the processor. */
const SLOW_FOR = 500;
/** So many times as long as a look-up takes, its keys are to last. */
const KEYS_PER_LOOK_UP = 10;
const MOST_KEYS = 10_000;
/** As long as all keys are old ones, so many at most are looked up ahead of their turn. */
const MOST_OLD_KEYS = 500;

/** The look-ups of a node that were slow one after the other, the latest last: how many milliseconds they took. */
export type SlowRow = readonly number[];

/** What a look-up makes of those before it. */
export function withLookUp(row: SlowRow, took: number): SlowRow {
	return took > SLOW_LOOK_UP ? [...row, took].slice(-SLOW_FOR / SLOW_LOOK_UP) : [];
}

/** How many milliseconds a look-up takes where the store is slow; 0 where it is not, as far as anybody knows. */
function slownessOf(row: SlowRow): number {
	const total = row.reduce((sum, took) => sum + took, 0);
	return row.length > 1 && total >= SLOW_FOR ? Math.min(...row) : 0;
}

/**
 * How many keys a run looks up ahead of their turn, so that the store takes a small part of its time: the slower the
 * store, the more. As long as all keys are old ones, it doubles.
 */
export class LookAhead {
	private readonly clock: Clock;
	private readonly began: number;
	private begun = 0;
	private inStore = 0;
	private afterOld = 0;

	constructor(clock: Clock) {
		this.clock = clock;
		this.began = clock.now();
	}

	/** Notes that the turn of a key has come. */
	begin(): void {
		this.begun++;
	}

	/** Notes a look-up: how many milliseconds it took, and of how many keys, all of them old ones or not. */
	note(took: number, keys: number, areOld: boolean): void {
		this.inStore += took;
		this.afterOld = areOld ? Math.min(MOST_OLD_KEYS, 2 * keys) : 0;
	}

	/**
	 * How many keys to look up beside those whose turn it is.
	 *
	 * @param row the look-ups of the node, maybe of earlier runs
	 */
	size(wanted: number, row: SlowRow): number {
		const perKey = (this.clock.now() - this.began - this.inStore) / this.begun;
		const wish = (KEYS_PER_LOOK_UP * slownessOf(row)) / Math.max(perKey, 1);
		return Math.min(MOST_KEYS, Math.max(this.afterOld, Math.ceil(wish) - wanted));
	}
}
