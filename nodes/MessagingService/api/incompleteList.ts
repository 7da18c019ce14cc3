import type { IDataObject } from 'n8n-workflow';
import type { ListEndpoint } from './listEndpoints';

/** Why entries may be missing from a list that was read to its end. */
export type Doubt =
	/** The service repeated entries, and no total tells whether there are others. */
	| { kind: 'repeats' }
	/** The next page failed, and nothing tells whether there is one. */
	| { kind: 'unconfirmedEnd' }
	/** The list ended before its total, by so many. */
	| { kind: 'short'; missing: number }
	/** Entries moved between pages each time that the list was read. */
	| { kind: 'moved' };

/** A list of which entries are certainly missing. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly endpoint: ListEndpoint;
	/** What was read of it. */
	readonly items: IDataObject[];
	/** The pages that are missing because one failed, where they are known: such as "page 3 and all after it". */
	readonly pages?: string;
	/** How many entries are missing, where the total tells. */
	readonly missing?: number;

	/** @param lack what is missing, and the failure of the page that could not be read, where there was one */
	constructor(
		endpoint: ListEndpoint,
		lack: Partial<Pick<IncompleteList, 'items' | 'pages' | 'missing' | 'cause'>> = {},
	) {
		super('The list could not be read to its end', { cause: lack.cause });
		this.endpoint = endpoint;
		this.items = lack.items ?? [];
		this.pages = lack.pages;
		this.missing = lack.missing;
	}

	/** The same list, with what was read of it. */
	with(items: IDataObject[]): IncompleteList {
		const { pages, missing, cause } = this;
		return new IncompleteList(this.endpoint, { items, pages, missing, cause });
	}
}
