import type { Clock } from '../api/clock';
import { type Marks, PAUSE } from './marks';

/** How often the end of a run looks for removals that were undone. */
const LAST_LOOKS = 6;

/** Marks that were taken away together, and the token that went with them. */
interface Removal {
	token: string;
	/** By key. Those of a key that is claimed again are not in it any more. */
	marks: Map<string, string[]>;
	/** By the clock. */
	at: number;
}

/** What all runs of a node in this process have taken away lately. */
export class RecentRemovals {
	/** Until it is seen that they stayed. */
	list: Removal[] = [];
	/** Tokens of no use any more, to be taken away with the next marks. */
	readonly strays: string[] = [];
}

export interface RemovalsParts {
	row: Marks;
	recent: RecentRemovals;
	clock: Clock;
	/** Whether this process has a key under way, whose marks must stay. */
	isUnderWay(key: string): boolean;
}

/**
 * Takes marks away from a row of the store, and sees to it that they stay away: another process that read the row before
 * may write it back with them. So a token goes with the marks of each removal. Where the token is found again later, the
 * marks are back too, and are removed once more.
 */
export class Removals {
	private readonly parts: RemovalsParts;
	/** Those of this run. */
	private readonly tokens = new Set<string>();

	constructor(parts: RemovalsParts) {
		this.parts = parts;
	}

	/**
	 * Takes marks away, by key, with a token that is in the row.
	 *
	 * @throws when the store fails. Whether the marks are gone is looked at later all the same.
	 */
	async remove(marks: Map<string, string[]>, token: string): Promise<void> {
		this.tokens.add(token);
		await this.removeAll({ token, marks, at: this.parts.clock.now() });
	}

	/** Lets a token be taken away with the next marks. */
	discard(token: string): void {
		this.parts.recent.strays.push(token);
	}

	/** Leaves the marks of keys alone that are claimed again. */
	leave(keys: readonly string[]): void {
		for (const { marks } of this.parts.recent.list) for (const key of keys) marks.delete(key);
	}

	/**
	 * Sets marks, with the tokens of removals to see which of these another process has undone. Those are made again,
	 * unless a key of theirs is under way here.
	 *
	 * @param claimed keys that the marks claim
	 * @returns The marks that were there before, without those that were to be gone.
	 */
	async setAndLook(
		marks: readonly string[],
		claimed: readonly string[] = [],
	): Promise<Set<string>> {
		const { row, recent, clock, isUnderWay } = this.parts;
		const now = clock.now();
		const looked = recent.list.filter(({ at }) => now - at >= PAUSE);
		recent.list = recent.list.filter((removal) => !looked.includes(removal));
		const tokens = looked.map(({ token }) => token);
		const before = await row.set([...marks, ...tokens]).catch((error: unknown) => {
			// It may have set the tokens all the same, so finding them says nothing any more.
			for (const token of tokens) this.discard(token);
			return Promise.reject(error);
		});
		for (const removal of looked) {
			if (!before.has(removal.token)) {
				this.discard(removal.token);
				continue;
			}
			for (const key of claimed) {
				for (const mark of removal.marks.get(key) ?? []) before.delete(mark);
				removal.marks.delete(key);
			}
			if ([...removal.marks.keys()].some(isUnderWay)) recent.list.push(removal);
			else await this.removeAll({ ...removal, at: clock.now() });
		}
		return before;
	}

	/**
	 * Waits until the removals of this run are seen to have stayed, for some seconds at most.
	 *
	 * @throws when the store fails.
	 */
	async finish(): Promise<void> {
		const { row, recent, clock } = this.parts;
		const isOpen = () => recent.list.some(({ token }) => this.tokens.has(token));
		for (let looks = 0; looks < LAST_LOOKS && isOpen(); looks++) {
			// Ever later, so that others who do the same come to an end.
			await clock.wait(PAUSE * 2 ** looks);
			await this.setAndLook([]);
		}
		await row.unset(recent.strays.splice(0));
	}

	private async removeAll(removal: Removal): Promise<void> {
		const { row, recent } = this.parts;
		// Before it is made: whether one that fails was made is looked at later.
		recent.list.push(removal);
		const marks = [...removal.marks.values()].flat();
		await row.unset([...marks, removal.token, ...recent.strays.splice(0)]);
	}
}
