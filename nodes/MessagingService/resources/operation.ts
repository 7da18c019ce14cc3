import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Client } from '../api/client';
import type { FailedOutcome } from '../api/request';
import type { KeyedCall, Unsent } from '../memory/keyedCall';
import type { ItemParameters } from '../panel/parameters';

/** One run of the node, as its operation sees it. */
export interface Run {
	context: IExecuteFunctions;
	/** The fields of each item. */
	input: readonly IDataObject[];
	/** The parameters as the panel has them, with expressions unresolved: the same for all items. */
	panel: INodeParameters;
	client: Client;
	/** Names the account in what is remembered from run to run. */
	accountKey: string;
	/** What the user should know although nothing failed. */
	notices: {
		/** Notes something about an item. The same words for several items become one notice. */
		add(words: string, type?: 'info' | 'warning'): void;
	};
	/** Resolves when no further item is going to begin: each has run `execute` up to its first wait, or failed before. */
	allBegun: Promise<void>;
}

/** An input item, for the operation that handles it. */
export interface Item {
	/** Its fields. */
	json: IDataObject;
	parameters: ItemParameters;
	/** The client of the run, with the transport options of this item. */
	client: Client;
}

/** What comes out for an item: an object as one item, a list as one item each. */
export type Output = IDataObject | IDataObject[];

/** What became of an item of a run. */
export type Result =
	| { outcome: 'accepted' | Unsent; output: Output }
	| { outcome: FailedOutcome; error: unknown };

/** An item that is sent once over several runs of the node. */
export interface OnceItem extends Omit<KeyedCall, 'send'> {
	/** Makes its request. */
	request(): Promise<Output>;
	/** What becomes of it when it is not sent. */
	resultIfUnsent(why: Unsent): Result;
}

/** Handles each item whenever it comes. */
export interface EachTime {
	/** @throws {RequestFailure | Problem | IncompleteList} for the run to turn into n8n's error. */
	execute(item: Item): Promise<Output>;
}

/** Handles each item once, over several runs of the node. */
export interface OnlyOnce {
	/**
	 * Reads what an item is known by, and what is sent for it.
	 *
	 * @throws {Problem} when one of its parameters cannot be used.
	 */
	identify(item: Item): OnceItem;
}

/** An operation during one run. What belongs to that run is a variable in the `start` that made it. */
export type OperationRun = (EachTime | OnlyOnce) & {
	/** Whether somebody tries the node out: what is done then says nothing of the items in production. */
	isTest?: boolean;
	/**
	 * How many items may be handled at once; fewer where the service takes no more. One when left out, and `all` for an
	 * operation that does what they need in one go.
	 */
	concurrency?: number | 'all';
	/** Called when an item failed and ends the run: what others wait for is not needed any more. */
	abandon?(): void;
	/** Called when all items are handled. */
	finish?(): void;
	/** Called when what comes out leaves the node for good: nothing has ended the run, and n8n does not run it again. */
	succeed?(): Promise<void>;
};

/** One operation of the action node: its dropdown entry, its fields, and what it does in a run. */
export interface Operation {
	option: INodePropertyOptions & Required<Pick<INodePropertyOptions, 'action' | 'description'>>;
	/** What an AI model is told of it: what it does, to whom, and when to leave it alone. */
	toolDescription: string;
	fields: INodeProperties[];
	/** Whether it changes something at the service, so that it must not happen twice. */
	writes: boolean;
	start(run: Run): OperationRun;
}

/** A resource of the action node, with its operations by name. */
export interface Resource {
	/** What it is called in the dropdown, and what it is. */
	name: string;
	description: string;
	operations: Readonly<Record<string, Operation>>;
}
