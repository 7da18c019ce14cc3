import type { ParsedMessage } from './message';

/** How many lists of a run are read at a time, and kept for items to come: one may have tens of thousands of messages. */
export const MAX_LISTS = 4;

type Pages = AsyncGenerator<readonly ParsedMessage[], void>;

interface Page {
	messages: readonly ParsedMessage[];
	/** The phone numbers of all who take part in its messages, once somebody has looked for a contact. */
	numbers?: ReadonlySet<string>;
}

/** What was read of a list so far, and what reads on. */
interface SharedList {
	source: Pages;
	pages: Array<Promise<Page | undefined>>;
}

/** Lists of messages that items of a run share: each reads from the beginning, and the list goes on when one wants more. */
export class SharedLists {
	private readonly lists = new Map<string, SharedList>();

	/**
	 * Yields the messages of a list in their order, page by page.
	 *
	 * @param key the same for all who read the same list
	 * @param open begins to read the list; lazily, as a generator does
	 * @param numbers those of a contact: pages without any of them are passed over
	 * @throws what the reading throws, to all who wait for more than came before it. Whoever comes later reads anew.
	 */
	async *read(key: string, open: () => Pages, numbers?: readonly string[]): Pages {
		const { source, pages } = this.lists.get(key) ?? this.add(key, open());
		for (let index = 0; ; index++) {
			const page = await (pages[index] ??= this.readOn(key, source));
			if (!page) return;
			const isOfInterest = !numbers || numbers.some((number) => numbersOn(page).has(number));
			if (isOfInterest) yield page.messages;
		}
	}

	private add(key: string, source: Pages): SharedList {
		const list: SharedList = { source, pages: [] };
		this.lists.set(key, list);
		const [oldest] = this.lists.keys();
		if (this.lists.size > MAX_LISTS) this.lists.delete(oldest);
		return list;
	}

	/** The next page of a list; undefined at its end. */
	private async readOn(key: string, source: Pages): Promise<Page | undefined> {
		const { done, value } = await source.next().catch((failure: unknown) => {
			this.lists.delete(key);
			throw failure;
		});
		return done ? undefined : { messages: value };
	}
}

function numbersOn(page: Page): ReadonlySet<string> {
	const participants = () => page.messages.flatMap(({ people }) => people.participants);
	return (page.numbers ??= new Set(participants()));
}
