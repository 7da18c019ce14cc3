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
	/** Identifies the account in what is remembered from run to run. */
	accountKey: string;
	/** What the user should know although nothing failed. */
	notices: {
		/** Notes something about an item. The same words for several items become one notice. */
		add(words: string, type?: 'info' | 'warning'): void;
	};
}

/** An input item, for the operation that handles it. */
export interface Item {
	/** Its fields. */
	json: IDataObject;
	parameters: ItemParameters;
	/** The client of the run, with the transport options of this item. */
	client: Client;
}

/** The output for an item: an object becomes one output item, a list one for each entry. */
export type Output = IDataObject | IDataObject[];

/** What became of an item of a run. */
export type Result =
	| { outcome: 'accepted' | Unsent; output: Output }
	| { outcome: FailedOutcome; error: unknown };

/** An item that is sent only once across runs of the node. */
export interface OnceItem extends Omit<KeyedCall, 'send'> {
	/** Makes its request. */
	request(): Promise<Output>;
	/** The result of the item when it is not sent. */
	resultIfUnsent(why: Unsent): Result;
}

/** Handles each item in every run. */
export interface EachTime {
	/** @throws {RequestFailure | Problem | IncompleteList} for the run to turn into n8n's error. */
	execute(item: Item): Promise<Output>;
}

/** Handles each item only once across runs of the node. */
export interface OnlyOnce {
	/**
	 * Reads the key of an item, and the request to make for it.
	 *
	 * @throws {Problem} when one of its parameters cannot be used.
	 */
	identify(item: Item): OnceItem;
}

/** Handles all items together, since they share their requests. */
export interface Together {
	/**
	 * Reads what an item needs, and adds it to the requests.
	 *
	 * @returns What handles the item; called when all items have asked.
	 * @throws {Problem} when one of its parameters cannot be used.
	 */
	ask(item: Item): () => Promise<Output>;
}

/** How an operation handles its items. */
export type Handling = EachTime | OnlyOnce | Together;

/** An operation during one run. The state of that run is in variables of the `start` call that returned this. */
export type OperationRun = Handling & {
	/** Whether this is a test run, whose results say nothing about the items in production. */
	isTest?: boolean;
	/** The most items to handle at once; fewer if the service cannot take that many. One when left out. */
	concurrency?: number;
	/** Called when a failed item ends the run, so that the other items stop waiting. */
	abandon?(): void;
	/** Called when all items are handled. */
	finish?(): void;
	/**
	 * Called when no failure has ended the run.
	 *
	 * @param isFinal whether n8n keeps the output. Else it may discard it, and run the node again.
	 */
	succeed?(isFinal: boolean): Promise<void>;
};

/** One operation of the action node: its dropdown entry, its fields, and what it does in a run. */
export interface Operation {
	option: INodePropertyOptions & Required<Pick<INodePropertyOptions, 'action' | 'description'>>;
	/** Tells an AI model what the operation does, to whom, and when not to use it. */
	toolDescription: string;
	fields: INodeProperties[];
	/** Whether it changes something at the service, so that it must not happen twice. */
	writes: boolean;
	start(run: Run): OperationRun;
}

/** A resource of the action node, with its operations by name. */
export interface Resource {
	/** Its name and description in the dropdown. */
	name: string;
	description: string;
	operations: Readonly<Record<string, Operation>>;
}
