import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { mayHaveBeenAccepted } from '../api/requestFailure';
import type { TimeSlices } from '../api/timeSlices';
import { explainFailure, Problem } from '../nodeError';
import { digitsOf, toE164 } from '../panel/phone';
import { isTool } from '../panel/tool';
import type { Output } from '../resources/operation';

/** What a try of the node made of an item. */
export type Result = { output: Output } | { error: unknown };

/** What earlier tries made of an item. */
export type Entry =
	| { state: 'done'; output: Output }
	/** Sent, and nobody knows whether it was accepted: why, and in which execution. */
	| { state: 'inDoubt'; reason: string; execution: string };

const HASH_LENGTH = 16;
/** A text that may be a phone number without its country code. */
const NATIONAL = /^[\s().\-/]*(?:\d[\s().\-/]*){7,}$/;

/** An item that an earlier try of the node may have sent. */
export class InDoubt extends Problem {
	/** What went wrong in the earlier try. */
	readonly reason: string;
	/** The execution of that try. */
	readonly execution: string;

	constructor({ reason, execution }: Pick<InDoubt, 'reason' | 'execution'>) {
		super(
			'An earlier try may have been accepted, so this item was not sent again',
			`The earlier try failed with: ${reason}. Check the service to see whether it processed the item. To send a webhook call again, turn on "Resend Uncertain" and retry the execution with the currently saved workflow.`,
		);
		this.reason = reason;
		this.execution = execution;
	}
}

/** Whether an item failed, and the service may have acted on it all the same. */
export function isInDoubt(result: Result): boolean {
	if (!('error' in result)) return false;
	return result.error instanceof InDoubt || mayHaveBeenAccepted(result.error);
}

/**
 * What became of each item of a run that failed. n8n runs a node again for all of its items, with Retry On Fail
 * as well as with the Retry button of a failed execution; the journal tells what is left to do.
 *
 * It lives in the execution's own data, under the name of the node, so a retry on another worker finds it too.
 * Written only when a run fails; a killed process leaves no journal.
 */
export class Journal {
	private readonly data: IDataObject;
	private readonly run: string;
	private readonly execution: string;
	/** By item: its index and a hash of its content. */
	private readonly entries: IDataObject;
	private readonly isEmpty: boolean;
	private readonly isTool: boolean;

	/** @param isTrial whether the run only tries the node out: then it has a journal of its own */
	constructor(context: IExecuteFunctions, isTrial = false) {
		const { resource, operation } = context.getNode().parameters;
		this.data = context.getContext('node');
		this.execution = String(context.getExecutionId());
		// What the node did when it was set to another operation says nothing. As the tool of an AI agent, the node
		// gets a new run index for each try, and its item holds what the model asks for.
		this.isTool = isTool(context);
		const runIndex: unknown = this.isTool ? 'tool' : context.getWorkflowDataProxy(0).$runIndex;
		this.run = [runIndex, resource, operation, ...(isTrial ? ['trial'] : [])].map(String).join(':');
		const stored = this.data[this.run];
		this.entries = isObject(stored) ? stored : {};
		this.isEmpty = Object.keys(this.entries).length === 0;
	}

	/** A name for an item, the same in each try of this run. */
	nameOf(itemIndex: number, item: IDataObject): string {
		return `${this.run}:${this.keyOf(itemIndex, item)}`;
	}

	/** What an earlier try of this run made of an item; undefined when it has to be done. */
	recall(itemIndex: number, item: IDataObject): Entry | undefined {
		// A run without failures costs nothing: not even a hash of its items.
		if (this.isEmpty) return undefined;
		return readEntry(this.entries[this.keyOf(itemIndex, item)]);
	}

	/**
	 * Ends a try: keeps what it made of the items for the next one. After the last one, only a tool keeps what is in
	 * doubt: the model may ask for it again in the same execution.
	 */
	async end(
		items: readonly IDataObject[],
		results: ReadonlyArray<Result | undefined>,
		slices: TimeSlices,
		{ isLast }: { isLast: boolean },
	): Promise<void> {
		if (isLast && !this.isTool) {
			delete this.data[this.run];
			return;
		}
		const hasDoubt = results.some((result) => result && isInDoubt(result));
		if (isLast && this.isEmpty && !hasDoubt) return;
		const changes: Array<[key: string, entry: IDataObject | undefined]> = [];
		for (const [index, result] of results.entries()) {
			if (!result) continue;
			const entry = toEntry(result, this.execution);
			const isKept = !isLast || entry?.state === 'inDoubt';
			changes.push([this.keyOf(index, items[index]), isKept ? entry : undefined]);
			await slices.next();
		}
		// Read only now, since a model may call a tool several times at once.
		const stored = this.data[this.run];
		const entries = isObject(stored) ? { ...stored } : {};
		for (const [key, entry] of changes) {
			if (entry) entries[key] = entry;
			else delete entries[key];
		}
		this.data[this.run] = entries;
	}

	private keyOf(index: number, item: IDataObject): string {
		const content = contentOf(this.isTool ? asMeant(item) : item);
		const hash = createHash('sha256').update(content).digest('base64url');
		return `${index}:${hash.slice(0, HASH_LENGTH)}`;
	}
}

/** What a model asks for: the next time, it may write a phone number in another way, or name the fields in another order. */
function asMeant(item: IDataObject): IDataObject {
	const fields = Object.entries(item).sort(([name], [other]) => (name < other ? -1 : 1));
	return Object.fromEntries(fields.map(([name, value]) => [name, asDialed(value)]));
}

function asDialed(value: IDataObject[string]): IDataObject[string] {
	if (typeof value !== 'string') return value;
	const number = toE164(value);
	if (typeof number === 'string') return number;
	// A country code in the options may complete it.
	return NATIONAL.test(value) ? digitsOf(value) : value.trim();
}

// What cannot be written as JSON does not outlive the execution, so the place of the item has to do.
function contentOf(item: IDataObject): string {
	try {
		return JSON.stringify(item);
	} catch {
		return '';
	}
}

function toEntry(result: Result, execution: string): IDataObject | undefined {
	if ('output' in result) {
		return isOpen(result.output) ? undefined : { state: 'done', output: result.output };
	}
	const { error } = result;
	if (error instanceof InDoubt) {
		return { state: 'inDoubt', reason: error.reason, execution: error.execution };
	}
	if (!isInDoubt(result)) return undefined;
	return { state: 'inDoubt', reason: explainFailure(error)?.message ?? String(error), execution };
}

/**
 * Whether an item that came out is still to be handled by the next try: a dry run has not sent it, and of an uncertain
 * one the memory of sent keys is asked again, in case it is to be resent now.
 */
export function isOpen(output: Output): boolean {
	return !Array.isArray(output) && (output.uncertain === true || output.dryRun === true);
}

function readEntry(value: unknown): Entry | undefined {
	if (!isObject(value)) return undefined;
	const { state, output, reason, execution } = value;
	if (state === 'inDoubt') return { state, reason: String(reason), execution: String(execution) };
	if (state !== 'done') return undefined;
	if (Array.isArray(output)) return { state, output: output.filter(isObject) };
	return isObject(output) ? { state, output } : undefined;
}
