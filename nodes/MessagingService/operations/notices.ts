/** What the user should know although nothing failed. */
export interface Notices {
	/**
	 * Notes something about an item. The same words for several items become one notice. An `info` says that the output is
	 * as it should be all the same.
	 */
	add(words: string, type?: 'info' | 'warning'): void;
}

/** Drops notices that nobody would see. */
export const NO_NOTICES: Notices = { add: () => {} };
