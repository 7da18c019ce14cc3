import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { asObject, isObject } from '../api/json';
import { type FailedOutcome, RequestFailure } from '../api/request';
import { explainFailure } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { isTool } from '../panel/tool';
import type { Write } from '../resources/operation';

/** What became of a write in a try: its output, or why its outcome is unknown. */
export type Entry =
	| { outcome: 'accepted'; output: IDataObject }
	| { outcome: 'unknown'; reason: string };

/** The journal of a run of the node, as the execution stores it. */
interface Kept {
	/** Names the first execution in a chain of retries. */
	firstExecution: string;
	/** The ID of the execution that the last try belonged to. */
	lastExecution: string;
	/** What became of the writes, by their names. */
	entries: Record<string, Entry>;
}

const HASH_LENGTH = 16;
/** Why a write is unknown whose execution ended before it did. */
const STOPPED = 'the execution was stopped while this was under way';

/** The outcome of a write in an earlier try is unknown. */
export class UnknownOutcome extends Problem {
	constructor(reason: string) {
		super(
			'An earlier try may have been accepted, so this item was not sent again',
			`The earlier try failed with: ${reason}. Check the service to see whether it processed the item. If it did not, send it alone: with a run of its own, or, to start an agent, by turning on "Resend Uncertain" and retrying the execution with the currently saved workflow.`,
		);
	}
}

/**
 * The outcome of what failed: of a request, or of what was found wrong before anything was sent.
 *
 * @returns undefined for an error that does not come from this package.
 */
export function outcomeOf(error: unknown): FailedOutcome | undefined {
	if (error instanceof RequestFailure) return error.outcome;
	if (error instanceof UnknownOutcome) return 'unknown';
	return error instanceof Problem ? 'refused' : undefined;
}

/**
 * What became of each write of a run that failed. n8n runs a node again for all of its items, with Retry On Fail as well
 * as with the Retry button of a failed execution; the journal tells what is left to do.
 *
 * Remembers: what was accepted, with its output, and what is unknown, by whom or what it is about, since the items may
 * have been read anew. Where: in the execution's own data, under the name of the node, so a retry on another worker finds
 * it too, also after an execution that was stopped. How long: until a try succeeds. A killed process leaves no journal.
 */
export class Journal {
	/** Whether this execution retries another one. */
	readonly isRetry: boolean;
	/** Whether it retries one that was cut off, so that nothing tells what that one has sent. */
	readonly wasCutOff: boolean;
	/** Whether "Reset Sent History" counts: a retry sends again only what its journal knows was not sent. */
	readonly mayResetHistory: boolean;
	/**
	 * Whether "Resend Uncertain" counts for what an earlier try left unknown: whoever retries an execution has looked at
	 * the service. Between the tries of Retry On Fail, nobody has.
	 */
	readonly mayResend: boolean;
	private readonly data: IDataObject;
	/** Names this run among those of the node in the execution. */
	private readonly slot: string;
	private readonly isTool: boolean;
	private readonly executions: Pick<Kept, 'firstExecution' | 'lastExecution'>;
	/** As they were when this try began. */
	private readonly earlier: Kept['entries'];
	/** How many writes about the same came so far. */
	private readonly counts = new Map<string, number>();

	constructor(context: IExecuteFunctions) {
		const { resource, operation } = context.getNode().parameters;
		this.isRetry = context.getMode() === 'retry';
		// As the tool of an AI agent, the node gets a new run index for each try.
		this.isTool = isTool(context);
		const runIndex: unknown = this.isTool ? 'tool' : context.getWorkflowDataProxy(0).$runIndex;
		this.data = context.getContext('node');
		// Results from when the node was set to another operation do not count.
		this.slot = [runIndex, resource, operation].map(String).join(':');
		const kept = this.read();
		const execution = String(context.getExecutionId());
		this.wasCutOff = this.isRetry && kept === undefined && wasCutOff(context);
		this.mayResetHistory = !this.isRetry || kept !== undefined;
		this.mayResend = kept !== undefined && kept.lastExecution !== execution;
		this.executions = {
			firstExecution: kept?.firstExecution ?? nameFirstExecution(context),
			lastExecution: execution,
		};
		this.earlier = { ...kept?.entries };
	}

	/** Names a write by what it is about, and by how many about the same came before it in this run. */
	nameOf(about: Write['about']): string {
		const name = hashOf(about);
		const count = this.counts.get(name) ?? 0;
		this.counts.set(name, count + 1);
		return `${name}:${count}`;
	}

	/** The key of a write by its name: the same in all retries of an execution. */
	retryKeyOf(name: string): string {
		return `retry:${this.executions.firstExecution}:${this.slot}:${name}`;
	}

	/** What an earlier try of this run made of a write; undefined when it has to be sent. */
	recall(name: string): Entry | undefined {
		return this.earlier[name];
	}

	/** Sends a write, and notes what becomes of it. */
	async sendNoted(name: string, send: () => Promise<IDataObject>): Promise<IDataObject> {
		const { entries } = this.keep();
		const settle = (entry: Entry | undefined) => {
			if (entry) entries[name] = entry;
			else delete entries[name];
		};
		settle({ outcome: 'unknown', reason: STOPPED });
		const accepted = (output: IDataObject) => {
			// When a model asks for the same once more, that is a new call.
			settle(this.isTool ? undefined : { outcome: 'accepted', output });
			return output;
		};
		const failed = (error: unknown): never => {
			const isRefused = outcomeOf(error) === 'refused';
			const reason = explainFailure(error)?.message ?? String(error);
			// What an earlier try left unknown stays so.
			settle(isRefused ? this.earlier[name] : { outcome: 'unknown', reason });
			throw error;
		};
		return await send().then(accepted, failed);
	}

	/** Notes a write as unknown, without sending it. */
	noteUnknown(name: string, reason: string): void {
		this.keep().entries[name] = { outcome: 'unknown', reason };
	}

	/**
	 * Ends this try.
	 *
	 * @param isLast whether there is no next one; even so, a model may ask again for a write with an unknown outcome
	 */
	end({ isLast }: { isLast: boolean }): void {
		if (isLast && !this.isTool) delete this.data[this.slot];
		else this.keep();
	}

	/** What is kept for the next try. Those writes that this try does not send keep their entries. */
	private keep(): Kept {
		// Read each time, since a model may call a tool several times at once.
		const { entries = {} } = this.read() ?? {};
		const kept: Kept = { ...this.executions, entries };
		this.data[this.slot] = { ...kept };
		return kept;
	}

	private read(): Kept | undefined {
		const value = this.data[this.slot];
		return isKept(value) ? value : undefined;
	}
}

/**
 * A name for the execution that a journal begins in: in a retry, the same for all retries of an execution, and for their
 * retries. n8n does not tell which execution was the first, but each has its data: when it began, and with what.
 */
function nameFirstExecution(context: IExecuteFunctions): string {
	if (context.getMode() !== 'retry') return randomUUID();
	const [firstStep] = Object.values(asObject(resultOf(context).runData));
	return firstStep === undefined ? randomUUID() : hashOf(firstStep);
}

/**
 * Whether the retried execution was stopped, or n8n was killed during it. Then its data are those from its beginning: with
 * an error beside it, or with entries that n8n has made up from its log.
 */
function wasCutOff(context: IExecuteFunctions): boolean {
	const { error, runData } = resultOf(context);
	return error !== undefined || Object.values(asObject(runData)).flat().some(isMadeUp);
}

/** Whether n8n has made up what a step gave. */
function isMadeUp(step: unknown): boolean {
	const [item] = [asObject(asObject(step).data).main].flat(2);
	return asObject(asObject(item).json).isArtificialRecoveredEventItem === true;
}

/** What the execution has got so far, including what a retry got from the retried one. */
function resultOf(context: IExecuteFunctions): Record<string, unknown> {
	const data = 'runExecutionData' in context ? asObject(context.runExecutionData) : {};
	return asObject(data.resultData);
}

/** Whether a value is what `keep` has stored. */
function isKept(value: unknown): value is Kept {
	return (
		isObject(value) &&
		typeof value.firstExecution === 'string' &&
		typeof value.lastExecution === 'string' &&
		isObject(value.entries)
	);
}

function hashOf(value: unknown): string {
	const hash = createHash('sha256').update(JSON.stringify(value));
	return hash.digest('base64url').slice(0, HASH_LENGTH);
}
