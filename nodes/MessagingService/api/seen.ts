import { createHash } from 'crypto';
import { isObject } from './json';

/** The entries of a list that came so far, told apart by their `id`. Memory: one ID per entry. */
export class Seen {
	size = 0;

	private readonly ids = new Set<string | number>();
	/** Digests of pages that have entries without an ID, which are told apart by their place on a page. */
	private readonly pages = new Set<string>();

	/** How many of them have an ID. */
	get identified(): number {
		return this.ids.size;
	}

	/**
	 * Adds the entries of a page.
	 *
	 * @returns those that did not come before, in their order
	 */
	add(entries: readonly unknown[]): unknown[] {
		let isNewPage: boolean | undefined;
		const fresh = entries.filter((entry) => {
			const id = identityOf(entry);
			if (id !== undefined) return addTo(this.ids, id);
			isNewPage ??= addTo(this.pages, digestOf(entries));
			return isNewPage;
		});
		this.size += fresh.length;
		return fresh;
	}
}

/** What tells an entry from others; undefined when it has no ID. */
export function identityOf(entry: unknown): string | number | undefined {
	const id = isObject(entry) ? entry.id : undefined;
	if (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) return id;
	// An ID beyond 2^53 is not exact any more in JavaScript, so two of them may look like one.
	return id === undefined || id === null ? undefined : JSON.stringify(entry);
}

function addTo<Value>(set: Set<Value>, value: Value): boolean {
	const { size } = set;
	return set.add(value).size > size;
}

function digestOf(entries: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(entries)).digest('base64');
}
