import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { explainFailure } from '../n8n/errors';
import { firstStepOf, retriesCutOff } from '../n8n/private';
import { isTool } from '../panel/tool';
import type { Write } from '../operations/operation';
import type { WriteKey } from './claims';
import { outcomeOf, UnknownOutcome } from './outcome';

/** What became of a write in a try: its output, or why its outcome is unknown. */
type Entry = { outcome: 'accepted'; output: IDataObject } | { outcome: 'unknown'; reason: string };

/** The journal of a run of the node, as the execution stores it. */
interface Kept {
	/** Names the first execution in a chain of retries. */
	firstExecution: string;
	/** Whether one of them was cut off, so that nothing tells what it has sent. */
	wasCutOff: boolean;
	/** What became of the writes, by the IDs of their entries. */
	entries: Record<string, Entry>;
}

const HASH_LENGTH = 16;
/** Why a write is unknown. Each goes on after "The earlier try failed with: ". */
const STOPPED = 'it is still under way, or the execution was stopped during it';
const CUT_OFF = 'the execution was cut off, so nothing tells what was sent';

/**
 * What became of each write of a run that failed. n8n runs a node again for all of its items, with Retry On Fail as well
 * as with the Retry button of a failed execution; the journal tells what is left to do.
 *
 * Remembers: what was accepted, with its output, and what is unknown, by its subject, since the items may have been read
 * anew. Where: in the execution's own data, under the name of the node, so a retry on another worker finds it too, also
 * after an execution that was stopped. How long: until a try succeeds. A killed process leaves no journal.
 */
export class Journal {
	/** Whether no earlier try can have sent anything. */
	readonly hasSentNothing: boolean;
	/** Whether this execution retries another one. */
	private readonly isRetry: boolean;
	private readonly isTool: boolean;
	/** All that the execution keeps for the node, by run. */
	private readonly data: Record<string, Kept | undefined>;
	/** Names this run among those of the node in the execution. */
	private readonly slot: string;
	/** What this try leaves for the next one. A model may call a tool several times at once: these share their entries. */
	private readonly kept: Kept;
	/** The entries of earlier tries; undefined for the first try. */
	private readonly earlier: Kept['entries'] | undefined;
	/** How many writes with the same subject came so far. */
	private readonly counts = new Map<string, number>();

	constructor(context: IExecuteFunctions) {
		const { resource, operation } = context.getNode().parameters;
		// As the tool of an AI agent, the node gets a new run index for each try.
		this.isTool = isTool(context);
		const runIndex: unknown = this.isTool ? 'tool' : context.getWorkflowDataProxy(0).$runIndex;
		this.data = context.getContext('node');
		// Results from when the node was set to another operation do not count.
		this.slot = [runIndex, resource, operation].map(String).join(':');
		const kept = this.data[this.slot];
		this.isRetry = context.getMode() === 'retry';
		this.earlier = kept && { ...kept.entries };
		this.kept = kept ?? {
			firstExecution: nameFirstExecution(context),
			wasCutOff: retriesCutOff(context),
			entries: {},
		};
		this.data[this.slot] = this.kept;
		this.hasSentNothing = Object.keys(this.kept.entries).length === 0 && !this.kept.wasCutOff;
	}

	/** The ID of the entry for a write: its subject, and how many with the same subject came before it in this run. */
	entryIdOf(subject: Write['subject']): string {
		const hash = hashOf(subject);
		const count = this.counts.get(hash) ?? 0;
		this.counts.set(hash, count + 1);
		return `${hash}:${count}`;
	}

	/**
	 * What an earlier try of this run made of a write.
	 *
	 * @returns the output of one that was accepted; undefined for one that is to be sent.
	 * @throws {UnknownOutcome} for one that may have been accepted, and so is not to be sent.
	 */
	recall(entryId: string, write: Write): IDataObject | undefined {
		const entry = this.earlier?.[entryId];
		if (entry?.outcome === 'accepted') return entry.output;
		if (entry) {
			// Whoever retries an execution has looked at the service. Between the tries of Retry On Fail, nobody has; in a
			// retry, the ledger knows that.
			if (write.sendAgain === 'unknown' && this.isRetry) return undefined;
			throw new UnknownOutcome(entry.reason);
		}
		// A key is known to n8n's store, whatever cut the execution off.
		if (write.key === undefined) this.refuseAfterCutOff(write);
		return undefined;
	}

	/**
	 * Refuses a write that an execution which was cut off may have made.
	 *
	 * @throws {UnknownOutcome}
	 */
	refuseAfterCutOff({ sendAgain }: Write): void {
		if (this.kept.wasCutOff && sendAgain !== 'unknown') throw new UnknownOutcome(CUT_OFF);
	}

	/** The keys that a write is known by, over all runs of the node; none if only this execution matters. */
	keysOf(entryId: string, { key, sendAgain = 'nothing' }: Write): readonly WriteKey[] {
		const keys: WriteKey[] = [];
		if (this.isRetry) {
			// Another retry of the execution may have sent it, whatever "Send Once" was set to.
			const retryKey = `retry:${this.kept.firstExecution}:${this.slot}:${entryId}`;
			keys.push({ key: retryKey, sendAgain: sendAgain === 'everybody' ? 'nothing' : sendAgain });
		}
		if (key !== undefined) {
			// A retry sends again only what its journal knows was not sent.
			const mayReset = !this.isRetry || (this.earlier !== undefined && !this.kept.wasCutOff);
			const mayNot = sendAgain === 'everybody' && !mayReset;
			keys.push({ key, sendAgain: mayNot ? 'nothing' : sendAgain });
		}
		return keys;
	}

	/** Sends a write, and notes what becomes of it. */
	async sendNoted(entryId: string, send: () => Promise<IDataObject>): Promise<IDataObject> {
		const { entries } = this.kept;
		const settle = (entry: Entry | undefined) => {
			if (entry) entries[entryId] = entry;
			else delete entries[entryId];
		};
		settle({ outcome: 'unknown', reason: STOPPED });
		const accepted = (output: IDataObject) => {
			// When a model asks for the same once more, that is a new call.
			settle(this.isTool ? undefined : { outcome: 'accepted', output });
			return output;
		};
		const failed = (error: unknown): never => {
			const isRefused = outcomeOf(error, 'unknown') === 'refused';
			const reason = explainFailure(error)?.message ?? String(error);
			// What an earlier try left unknown stays so.
			settle(isRefused ? this.earlier?.[entryId] : { outcome: 'unknown', reason });
			throw error;
		};
		return await send().then(accepted, failed);
	}

	/** Forgets the run: there is no next try. Even so, a model may ask again for a write with an unknown outcome. */
	end(): void {
		if (!this.isTool) delete this.data[this.slot];
	}
}

/**
 * A name for the execution that a journal begins in: in a retry, the same for all retries of an execution, and for their
 * retries. n8n does not tell which execution was the first.
 */
function nameFirstExecution(context: IExecuteFunctions): string {
	const firstStep = context.getMode() === 'retry' ? firstStepOf(context) : undefined;
	return firstStep === undefined ? randomUUID() : hashOf(firstStep);
}

function hashOf(value: unknown): string {
	const hash = createHash('sha256').update(JSON.stringify(value));
	return hash.digest('base64url').slice(0, HASH_LENGTH);
}
