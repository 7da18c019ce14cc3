import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Client } from '../api/client';
import type { Parameters } from '../panel/parameters';

/** Where an operation puts what the user should know although nothing failed. */
export interface Notices {
	/**
	 * Notes something about an item. The same words for several items become one notice.
	 *
	 * @param itemIndex the item, where the user needs to know which it is
	 */
	add(words: string, type?: 'info' | 'warning', itemIndex?: number): void;
}

/** One run of the node, as its operation sees it. */
export interface Run {
	context: IExecuteFunctions;
	/** The fields of each item. */
	input: readonly IDataObject[];
	/** The parameters as the panel has them, with expressions unresolved: the same for all items. */
	panel: INodeParameters;
	client: Client;
	/** Names the account that something is remembered for, from run to run. */
	account: string;
	/** Requests that the node may have under way at once. */
	concurrency: number;
	notices: Notices;
	/** Resolves when no further item is going to begin. */
	allBegun: Promise<void>;
}

export interface Item {
	json: IDataObject;
	parameters: Parameters;
	/** The client of the run, with the transport options of this item. */
	client: Client;
}

/** What comes out for an item: an object as one item, a list as one item each. */
export type Output = IDataObject | IDataObject[];

/** An operation during one run. What belongs to that run is a variable in the `start` that made it. */
export interface RunningOperation {
	/**
	 * Handles one item.
	 *
	 * @throws {RequestFailure | Problem | IncompleteList} for the item loop to turn into n8n's error.
	 */
	execute(item: Item): Promise<Output>;
	/** Whether an item that was handled must not be handled again, although the operation only reads. */
	hasEffects?: boolean;
	/** Whether this run only tries the node out. What it does says nothing of the items in earnest. */
	isTrial?: boolean;
	/**
	 * How items are handled: as many side by side as the service takes, or all together, for an operation that does what
	 * they need in one go. One after the other when left out.
	 */
	order?: 'sideBySide' | 'together';
	/** Called when an item failed and ends the run: what others wait for is not needed any more. */
	abandon?(): void;
	/** Called when all items are handled. Never rejects. */
	finish?(): Promise<void>;
}

/** One operation of the action node: its dropdown entry, its fields, and what it does in a run. */
export interface Operation {
	option: INodePropertyOptions & Required<Pick<INodePropertyOptions, 'action' | 'description'>>;
	/** What an AI model is told of it: what it does, to whom, and when to leave it alone. */
	toolDescription: string;
	fields: INodeProperties[];
	/** Whether it changes something at the service, so that it must not happen twice. */
	writes: boolean;
	/** The default of the option Concurrency, where it is not that of all operations. */
	concurrency?: number;
	start(run: Run): RunningOperation;
}

export interface Resource {
	/** What it is called in the dropdown, and what it is. */
	name: string;
	description: string;
	defaultOperation: string;
	operations: Readonly<Record<string, Operation>>;
}
