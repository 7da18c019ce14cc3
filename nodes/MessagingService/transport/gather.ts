import type { IDataObject } from 'n8n-workflow';
import type { Page } from './page';
import type { ListRequest } from './paginate';

type Wanted = Pick<ListRequest, 'limit' | 'keep' | 'isForeign'>;

/** Gathers the items of a list page by page: each once, and only those that are wanted. */
export class Gathered {
	readonly items: IDataObject[] = [];
	/** How many items the service should have kept out. */
	foreign = 0;
	/** How many pages in a row brought nothing new. */
	fruitlessPages = 0;
	/** How many pages brought only what the first page had brought. */
	repeatsOfFirstPage = 0;
	/** Number of all items by the latest page that says it. */
	total?: number;

	private readonly limit: number;
	private readonly keep: (item: IDataObject) => boolean;
	private readonly isForeign: (item: IDataObject) => boolean;
	private readonly seen = new Set<unknown>();
	private firstPageKeys?: Set<unknown>;
	/** Items that were new. */
	private received = 0;
	/** Items that came at all, doubles included. */
	private brought = 0;

	constructor({ limit, keep = () => true, isForeign = (item) => !keep(item) }: Wanted) {
		this.limit = limit;
		this.keep = keep;
		this.isForeign = isForeign;
	}

	/** Whether the service gives the same items over and over, with only a few new ones among them. */
	get goesInCircles(): boolean {
		return this.brought > 3 * this.received + 500;
	}

	/** Whether as many items are there as were asked for. */
	get isFull(): boolean {
		return this.items.length >= this.limit;
	}

	/** How many items are still to come: by what the service says and by what was asked for. */
	get remaining(): number | undefined {
		return this.total === undefined
			? undefined
			: Math.min(Math.max(this.total - this.received, 0), this.limit - this.items.length);
	}

	/** Says that the next page may be the first one again without being a sign of anything. */
	expectRepeat(): void {
		this.fruitlessPages = -1;
		this.repeatsOfFirstPage = -1;
	}

	/** Takes what is new on a page. */
	take(page: Page): void {
		this.total = page.total ?? this.total;
		const before = this.received;
		const keys = identities(page.items);
		this.brought += keys.length;
		page.items.forEach((item, index) => this.takeItem(item, keys[index]));
		this.fruitlessPages = this.received > before ? 0 : this.fruitlessPages + 1;
		if (!this.firstPageKeys) {
			this.firstPageKeys = new Set(keys);
		} else if (keys.length > 0 && keys.every((key) => this.firstPageKeys?.has(key))) {
			this.repeatsOfFirstPage++;
		}
	}

	private takeItem(item: IDataObject, key: unknown): void {
		if (this.seen.has(key)) return;
		this.seen.add(key);
		this.received++;
		if (this.isForeign(item)) this.foreign++;
		if (this.keep(item) && !this.isFull) this.items.push(item);
	}
}

// Items without an ID are told apart by their place on a page, and pages by all that is on them.
function identities(items: readonly IDataObject[]): unknown[] {
	let content: string | undefined;
	return items.map((item, index) => {
		const known = identity(item);
		if (known !== undefined) return known;
		content ??= JSON.stringify(items);
		return `${index}\n${content}`;
	});
}

// An ID beyond 2^53 is not exact any more in JavaScript, so two of them may look like one.
function identity(item: IDataObject): unknown {
	const { id } = item;
	if (typeof id === 'string' || Number.isSafeInteger(id)) return id;
	return id === undefined || id === null ? undefined : JSON.stringify(item);
}
