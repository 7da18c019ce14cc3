/** What a page says about whether its list stood still. */
interface Observation {
	total?: number;
	/** Entries of the page that did not come before. */
	fresh: number;
	/** Entries of the page that came before. */
	known: number;
	/** Entries of the list that came so far and have an ID. */
	identified: number;
	/** Whether it was read while other pages were under way. */
	isSideBySide: boolean;
}

/**
 * Tells whether a list moved while it was read, so that an entry may have slipped past the reader.
 *
 * Pages are read from the top. New entries push the others down: read one after the other, pages only repeat
 * some then, but side by side, one may be read before and the one above it after the push. Entries that are
 * taken away pull the others up, out of the pages that are still to be read.
 */
export class Movement {
	private latest?: number;
	private highest = 0;
	private identified = 0;
	private isSideBySide = false;
	hasChanged = false;
	private hasDropped = false;
	private overlaps = false;

	/** Notes a page, in the order of the list. */
	note({ total, fresh, known, identified, isSideBySide }: Observation): void {
		this.identified = identified;
		this.isSideBySide ||= isSideBySide;
		this.overlaps ||= fresh > 0 && known > 0;
		if (total === undefined) return;
		const { latest = total } = this;
		this.hasChanged ||= total !== latest;
		this.hasDropped ||= total < latest;
		this.highest = Math.max(this.highest, total);
		this.latest = total;
	}

	get maySlip(): boolean {
		// A total that is less than what came counts something else, such as the entries of each page.
		const isTrusted = this.highest >= this.identified;
		if (this.isSideBySide) return this.overlaps || (this.hasChanged && isTrusted);
		return this.hasDropped && isTrusted;
	}
}
