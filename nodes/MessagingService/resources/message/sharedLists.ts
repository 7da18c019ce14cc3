import { systemClock } from '../../n8n/clock';
import type { Contact } from './contact';
import type { ParsedMessage } from './message';
import { MessagePage } from './messagePage';

/** How many lists of a run are read, and kept, at a time: one may have tens of thousands of messages. */
export const MAX_LISTS = 4;

type Pages = AsyncGenerator<readonly ParsedMessage[], void>;

/**
 * Lists of messages that the items of a run read together: each item from the beginning, and as far as it wants. A list
 * grows while they iterate, and is let go of when nobody does. A few lists are read at a time; others wait for their turn.
 *
 * A failure of the reading is one of those who need more of it, and of nobody else.
 */
export class SharedLists {
	/** Those that somebody reads, or waits for. */
	private readonly lists = new Map<string, SharedList>();
	private free = MAX_LISTS;
	private readonly waiting: Array<() => void> = [];

	/**
	 * Yields the messages of a list in their order, as they come.
	 *
	 * @param key the same for all who read the same list
	 * @param open begins to read the list, page by page; lazily, as a generator does
	 * @param contact whose messages to yield; those of everybody when left out
	 * @throws what the reading throws, once everything that came before it was given out.
	 */
	async *read(key: string, open: () => Pages, contact?: Contact): Pages {
		const list = this.lists.get(key) ?? new SharedList(open(), this.turn());
		this.lists.set(key, list);
		list.users++;
		try {
			for (let number = 0; await list.loadPage(number); number++) {
				yield list.pages[number].of(contact);
			}
		} finally {
			list.users--;
			if (list.users === 0) {
				this.lists.delete(key);
				await list.end().finally(() => this.letNextIn());
			}
		}
	}

	private async turn(): Promise<void> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((begin) => this.waiting.push(begin));
	}

	private letNextIn(): void {
		const begin = this.waiting.shift();
		if (begin) begin();
		else this.free++;
	}
}

/** What was read of a list so far, and how to read on. */
class SharedList {
	/** How many items iterate over it. */
	users = 0;
	readonly pages: MessagePage[] = [];
	private readonly source: Pages;
	private readonly turn: Promise<void>;
	/** The next page being read, for all who wait for it; a failure stays. */
	private growth?: Promise<void>;

	constructor(source: Pages, turn: Promise<void>) {
		this.source = source;
		this.turn = turn;
	}

	/** Reads on as far as a page, counted from 0, and tells whether there is one. Gives everything else in the process its turn. */
	async loadPage(number: number): Promise<boolean> {
		if (number < this.pages.length) await systemClock.wait(0);
		else await (this.growth ??= this.grow());
		return number < this.pages.length;
	}

	/** Ends the reading, and waits for what was fetched ahead. */
	async end(): Promise<void> {
		await this.source.return();
	}

	private async grow(): Promise<void> {
		await this.turn;
		const { done, value } = await this.source.next();
		if (!done) this.pages.push(new MessagePage(value));
		// At once: whoever asks for the page after this one must not wait for this one only.
		this.growth = undefined;
		await systemClock.wait(0);
	}
}
