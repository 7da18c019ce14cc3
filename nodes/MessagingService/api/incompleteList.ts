import type { IDataObject } from 'n8n-workflow';
import type { ListEndpoint } from './listEndpoints';

/** Why entries may be missing from a list that was read to its end. */
export type Doubt =
	/** The service repeated a page or refused the next one, and nothing tells whether there is another. */
	| { kind: 'unconfirmedEnd' }
	/** The list ended before its total, by so many. */
	| { kind: 'short'; missing: number }
	/** Entries moved between pages each time that the list was read. */
	| { kind: 'moved' };

/** Which entries are missing from a list. */
export interface Lack {
	/** All from here on: the failure of a page, and how many entries came before it. */
	failed?: { cause: unknown; after: number };
	/** So many: the total promises them, and the service did not give them. */
	missing?: number;
}

/** A list of which entries are certainly missing. */
export class IncompleteList extends Error {
	override name = 'IncompleteList';
	readonly endpoint: ListEndpoint;
	readonly lack: Lack;
	/** What was taken of it. */
	readonly items: IDataObject[];

	constructor(endpoint: ListEndpoint, lack: Lack, items: IDataObject[] = []) {
		super('The list could not be read to its end', { cause: lack.failed?.cause });
		this.endpoint = endpoint;
		this.lack = lack;
		this.items = items;
	}

	/** The same list, with what was taken of it. */
	with(items: IDataObject[]): IncompleteList {
		return new IncompleteList(this.endpoint, this.lack, items);
	}
}
