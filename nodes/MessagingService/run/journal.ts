import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { explainFailure } from '../nodeError';
import { Problem } from '../problem';
import { isTool } from '../panel/tool';
import type { Output, Result } from '../resources/operation';

/** The result of an item in a try: its output, or why its outcome is unknown. */
type KeptResult = { outcome: 'accepted'; output: Output } | { outcome: 'unknown'; reason: string };

/** The journal of a run of the node, as the execution stores it. */
interface Kept {
	/** Names the first execution in a chain of retries. */
	firstExecution: string;
	/** The ID of the execution that the last try belonged to. */
	lastExecution: string;
	/** The results, by the names of the items. */
	entries: Record<string, KeptResult>;
}

const HASH_LENGTH = 16;

/** The outcome of an item in an earlier try is unknown. */
export class UnknownOutcome extends Problem {
	/** What went wrong in the earlier try. */
	readonly reason: string;

	constructor(reason: string) {
		super(
			'An earlier try may have been accepted, so this item was not sent again',
			`The earlier try failed with: ${reason}. Check the service to see whether it processed the item. If it did not, run the workflow again for it. To start an agent again, you can also turn on "Resend Unconfirmed" and retry the execution with the currently saved workflow.`,
		);
		this.reason = reason;
	}
}

/**
 * What became of each item of a run that failed. n8n runs a node again for all of its items, with Retry On Fail
 * as well as with the Retry button of a failed execution; the journal tells what is left to do.
 *
 * It lives in the execution's own data, under the name of the node, so a retry on another worker finds it too.
 * Written only when a run fails; a killed process leaves no journal.
 */
export class Journal {
	/** Whether the last try was in an execution that this one retries. */
	readonly isOfEarlierExecution: boolean;
	private readonly data: IDataObject;
	private readonly run: string;
	private readonly isTool: boolean;
	private readonly names: Pick<Kept, 'firstExecution' | 'lastExecution'>;
	/** As they were when this try began. */
	private readonly entries: Kept['entries'];
	private readonly hasEntries: boolean;
	private readonly items: readonly IDataObject[];
	private itemNames?: readonly string[];

	constructor(context: IExecuteFunctions, items: readonly IDataObject[]) {
		this.items = items;
		const { resource, operation } = context.getNode().parameters;
		// As the tool of an AI agent, the node gets a new run index for each try; its item holds what the model asks for.
		this.isTool = isTool(context);
		const runIndex: unknown = this.isTool ? 'tool' : context.getWorkflowDataProxy(0).$runIndex;
		this.data = context.getContext('node');
		// Results from when the node was set to another operation do not count.
		this.run = [runIndex, resource, operation].map(String).join(':');
		const kept = this.read();
		const execution = String(context.getExecutionId());
		this.isOfEarlierExecution = kept !== undefined && kept.lastExecution !== execution;
		this.names = {
			firstExecution: kept?.firstExecution ?? nameFirstExecution(context),
			lastExecution: execution,
		};
		this.entries = kept?.entries ?? {};
		this.hasEntries = Object.keys(this.entries).length > 0;
	}

	/** A name for an item, the same in all retries of an execution. */
	retryKeyOf(itemIndex: number): string {
		return `retry:${this.names.firstExecution}:${this.run}:${this.nameOf(itemIndex)}`;
	}

	/** What an earlier try of this run made of an item; undefined when it has to be done. */
	recall(itemIndex: number): Result | undefined {
		// A run without failures costs nothing: not even a hash of its items.
		if (!this.hasEntries) return undefined;
		const entry = this.entries[this.nameOf(itemIndex)];
		if (entry?.outcome !== 'unknown') return entry;
		return { outcome: 'unknown', error: new UnknownOutcome(entry.reason) };
	}

	/**
	 * Keeps the results of this try for the next one. Items that it did not begin keep their earlier results.
	 *
	 * @param isLast whether there is no next try; even so, a model may ask again for an item with an unknown outcome
	 */
	save(results: ReadonlyArray<Result | undefined>, { isLast }: { isLast: boolean }): void {
		if (isLast && !this.isTool) {
			delete this.data[this.run];
			return;
		}
		// Read once more, since a model may call a tool several times at once.
		const entries = { ...this.read()?.entries };
		for (const [index, result] of results.entries()) {
			if (!result) continue;
			const name = this.nameOf(index);
			delete entries[name];
			// When a model asks for the same once more, that is a new call.
			if (result.outcome === 'accepted' && !this.isTool) {
				entries[name] = { outcome: 'accepted', output: result.output };
			}
			if (result.outcome === 'unknown') {
				entries[name] = { outcome: 'unknown', reason: reasonOf(result.error) };
			}
		}
		this.data[this.run] = { ...this.names, entries };
	}

	private nameOf(itemIndex: number): string {
		this.itemNames ??= nameByContent(this.items);
		return this.itemNames[itemIndex];
	}

	private read(): Kept | undefined {
		const value = this.data[this.run];
		return isKept(value) ? value : undefined;
	}
}

/** A name for the execution that a journal begins in: in a retry, the same for all retries of an execution. */
function nameFirstExecution(context: IExecuteFunctions): string {
	if (context.getMode() !== 'retry') return randomUUID();
	// An execution that failed before it came to this node has left no name.
	const { establishedAt } = context.getExecutionContext?.() ?? {};
	return String(establishedAt ?? randomUUID());
}

/** Names items by their content, and equal ones by their order: in a retry, new items may have come in before them. */
function nameByContent(items: readonly IDataObject[]): string[] {
	const counts = new Map<string, number>();
	return items.map((item) => {
		const hash = createHash('sha256').update(contentOf(item)).digest('base64url');
		const name = hash.slice(0, HASH_LENGTH);
		const count = counts.get(name) ?? 0;
		counts.set(name, count + 1);
		return `${name}:${count}`;
	});
}

// An item that cannot be written as JSON does not outlive the execution, so its place in the order is enough.
function contentOf(item: IDataObject): string {
	try {
		return JSON.stringify(item);
	} catch {
		return '';
	}
}

/** Whether a value is what `save` has stored. */
function isKept(value: unknown): value is Kept {
	return (
		isObject(value) &&
		typeof value.firstExecution === 'string' &&
		typeof value.lastExecution === 'string' &&
		isObject(value.entries)
	);
}

function reasonOf(error: unknown): string {
	if (error instanceof UnknownOutcome) return error.reason;
	return explainFailure(error)?.message ?? String(error);
}
