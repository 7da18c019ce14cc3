import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';
import type { Client } from '../api/client';
import type { Outcome } from '../api/request';
import type { Clock } from '../api/time';
import type { Field } from '../panel/field';
import type { ItemParameters } from '../panel/itemParameters';

/** One operation of the action node: its dropdown entry, its fields, and what it does for an item. */
export type Operation = ReadOperation | WriteOperation;

interface OperationParts {
	option: Readonly<Record<'name' | 'value' | 'action' | 'description', string>>;
	/** Tells an AI model what the operation does, to whom, and when not to use it. */
	toolDescription: string;
	fields: Field[];
	/** The most items to handle at once; one when left out. They begin in the order of the input. */
	concurrency?: number;
}

/** An operation that changes nothing. */
export interface ReadOperation extends OperationParts {
	writes: false;
	/**
	 * Handles one item. The run has everything that items share.
	 *
	 * @throws {RequestFailure | Problem} for the run to turn into n8n's error.
	 */
	execute(item: Item, run: Run): Promise<Output>;
}

/** An operation that changes something at the service, so that it must not happen twice. */
export interface WriteOperation extends OperationParts {
	writes: true;
	/**
	 * Finds the webhook, which tells the account of a write, in the parameters as they are written. If left out, the
	 * credential does.
	 */
	webhookOf?(rawParameters: INodeParameters): unknown;
	/** Finds what says whom the writes are about, in the parameters as they are written: a retry has to have the same. */
	whomOf?(rawParameters: INodeParameters): unknown;
	/**
	 * Handles one item, with a single write that `run.once` makes.
	 *
	 * @throws {RequestFailure | Problem} for the run to turn into n8n's error.
	 */
	execute(item: Item, run: WriteRun): Promise<IDataObject>;
}

/** An input item, for the operation that handles it. */
export interface Item {
	/** Its fields. */
	json: IDataObject;
	parameters: ItemParameters;
	/** Sends requests with the transport options of this item. */
	client: Client;
	/** The phone number that it is for, once the operation has read one. */
	phone?: string;
}

/** One run of the node, with what its items share. */
export interface Run {
	context: IExecuteFunctions;
	clock: Clock;
	/** The parameters with expressions unresolved: the same for all items. */
	rawParameters: INodeParameters;
	/** Sends requests for all items together. Each item has a client of its own, with its transport options. */
	client: Client;
	notices: Notices;
	/** Aborts when n8n cancels the run, or a failed item ends it: then nothing more begins. */
	signal: AbortSignal;
	/** The one object of a class that all items of this run share, which is made when it is first needed. */
	shared<Value extends object>(Type: new () => Value): Value;
}

/** What the user should know although nothing failed. */
export interface Notices {
	/**
	 * Notes something about an item. The same words for several items become one notice. An `info` says that the output is
	 * as it should be all the same.
	 *
	 * @param itemIndex the item, where the notice has to name the first one that it is about
	 */
	add(words: string, type?: 'info' | 'warning', itemIndex?: number): void;
}

/** A run of an operation that writes. */
export interface WriteRun extends Run {
	/**
	 * Makes a write that must not happen twice. What was accepted in an earlier try of this execution comes out as before,
	 * and what that left unknown is not sent again. Writes with the same subject are told apart by their order, so an
	 * operation that handles items side by side calls this before it waits for anything.
	 *
	 * @returns What `send` returned, now or in the earlier try; or, where it was not called, what `outputUnsent` gives.
	 * @throws what `send` throws; or a NotSentAgain or an UnknownOutcome.
	 */
	once(write: Write, send: () => Promise<IDataObject>): Promise<IDataObject>;
}

/** A write, as `once` knows it. */
export interface Write {
	/** Whom or what it is about, such as a webhook and a phone number. It need not be unique. */
	subject: readonly unknown[];
	/** Identifies the write in all runs of the node with its account; without a key, only this execution's tries count. */
	key?: string;
	/** What to send although it was sent before, or may have been; nothing when left out. */
	sendAgain?: SendAgain;
	/** The output of a write that is not sent; only the outcome when left out. */
	outputUnsent?(outcome: Unsent): IDataObject;
}

/**
 * What the user wants to be sent a second time: nothing; what is unknown; or everything in this run, whatever became of its
 * key in earlier runs.
 */
export type SendAgain = 'nothing' | 'unknown' | 'everybody';

/** What became of an item that writes: what became of its request; or it was not sent, since it was before or to be seen. */
export type ItemOutcome = Outcome | 'skipped' | 'preview';

/** Why a write was not made: it was accepted before, or nobody knows whether it was. */
export type Unsent = Extract<ItemOutcome, 'skipped' | 'unknown'>;

/** The output for an item: an object becomes one output item, a list one for each entry. */
export type Output = IDataObject | IDataObject[];
