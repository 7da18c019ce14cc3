import type { Clock } from '../api/clock';

/** Look-ups that take more milliseconds than this are made for keys ahead of their turn too. */
const SLOW_LOOK_UP = 50;
/** So many times as long as a look-up takes, its keys are to last. */
const KEYS_PER_LOOK_UP = 10;
const MOST_KEYS = 10_000;
/** As long as all keys are old ones, so many at most are looked up ahead of their turn. */
const MOST_OLD_KEYS = 500;

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
	 * @param took milliseconds that look-ups take lately, maybe in an earlier run
	 */
	size(wanted: number, took: number): number {
		const perKey = (this.clock.now() - this.began - this.inStore) / this.begun;
		const wish = took > SLOW_LOOK_UP ? (KEYS_PER_LOOK_UP * took) / Math.max(perKey, 1) : 0;
		return Math.min(MOST_KEYS, Math.max(this.afterOld, Math.ceil(wish) - wanted));
	}
}
