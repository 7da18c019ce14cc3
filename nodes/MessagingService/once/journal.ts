import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type FailedOutcome, RequestFailure } from '../api/request';
import { explainFailure } from '../n8n/errors';
import { chainOf, isContinued, isTool, provesUnsent, runIndexOf } from '../n8n/private';
import type { Write } from '../operations/operation';
import { isOwnFailure, Problem } from '../words/problem';
import type { WriteKey } from './claims';

/** What became of a write in a try: its output, or why its outcome is unknown. */
type Entry = (
	| { outcome: 'accepted'; output: IDataObject }
	| { outcome: 'unknown'; reason: string }
) & {
	/** The hash of the key of "Send Once" under which it was claimed. */
	key?: string;
};

/** The journal of a run of the node, as the execution stores it. */
interface Kept {
	/** The name of the chain: an execution with all its retries. */
	chain: string;
	/** Whether a retry without a journal finds the same name. */
	isNamed: boolean;
	/** Whether a write without an entry may be sent, since this run had not begun before the journal did. */
	isComplete: boolean;
	/** What the node did, by the resource and operation that it was set to: one says nothing about another. */
	operations: Record<string, Notes>;
}

/** What the journal of a run knows of an operation. */
interface Notes {
	/** The account that the writes go to. */
	account?: string;
	/** The parameter that says whom the writes are about, as it is written. */
	whom?: unknown;
	/** What became of the writes, by the IDs of their entries. */
	entries: Record<string, Entry>;
	/** The hashes of the keys that were sent to everybody: a retry sends none of them again to another item. */
	sentToEverybody?: Record<string, true>;
}

/** What the execution keeps for the node: a journal for each run that has not ended, and a count for the others. */
interface NodeData {
	journals?: Record<string, Kept | undefined>;
	/** How many writes were accepted in runs that have ended, such as earlier rounds of a loop. */
	accepted?: number;
}

/** A failure of a write of which nobody knows whether it was accepted. */
class UnknownOutcome extends Problem {}

/** Says that a write was not made again, since nobody knows what became of it in an earlier try. */
export class NotSentAgain extends UnknownOutcome {}

/** The outcome of an item that failed. Any other error than these comes from reading the item: see `sendNoted`. */
export function outcomeOf(error: unknown): FailedOutcome {
	if (error instanceof RequestFailure) return error.outcome;
	return error instanceof UnknownOutcome ? 'unknown' : 'refused';
}

const HASH_LENGTH = 16;
/** Reasons why a write is unknown. Each follows the words "The earlier try failed with: ". */
const STOPPED = 'the call is still under way, or the execution was stopped during it';
const LEFT_BY_OTHER_RETRY = 'another retry left its outcome unknown';

const UNFORESEEN =
	'This node did not foresee the error. The service may have accepted the call, so check there before you repeat it.';
const TO_SEND_UNKNOWN =
	'For Agent: Start, you can also set "Send Again" to "Unknown" and retry the execution with the currently saved workflow, which sends all unknown items.';
const TO_GO_ON = `Check the service. If it did not process the item, run the workflow with only such items, with "Send Again" on "Unknown" where "Send Once" is on. ${TO_SEND_UNKNOWN}`;
const NOT_TRACED = `n8n kept nothing that tells what was sent, as after a crash or a stop. Check the service. If "Send Once" was on and skips what was accepted, run the workflow again. ${TO_SEND_UNKNOWN}`;
const NOT_NAMED =
	'This n8n does not tell which execution it retries, so each retry would send all items again. If "Send Once" was on and skips what was accepted, run the workflow again; if not, with only those who were not texted.';
const OF_OTHERS =
	'Some items were sent before the parameter that says whom they are for was changed. Change it back and retry, or run the workflow with only those who were not texted.';

/**
 * Remembers what became of each write of a run that failed. n8n runs a node again for all of its items, with Retry On Fail
 * as well as with the Retry button of a failed execution; the journal tells what is left to do.
 *
 * It knows a write by its subject, since the items may have been read anew, and keeps the output of accepted writes. It is
 * stored in the execution's own data, under the name of the node, so a retry on another worker finds it too. It lasts until
 * a try succeeds. A killed process leaves no journal: then nothing is sent, unless the user says so.
 */
export class Journal {
	private readonly isTool: boolean;
	/** Whether other processes may go on with this execution. If so, each write has a key of its own in n8n's store. */
	private readonly isContinued: boolean;
	/** Whether somebody retries the execution, and so has looked at the service before. */
	private readonly isRetry: boolean;
	private readonly data: NodeData;
	/** Names this run among those of the node in the execution. */
	private readonly slot: string;
	private readonly operation: string;
	private readonly kept: Kept;
	/** What this try leaves for the next one. A model may call a tool several times at once; these tries share it. */
	private readonly notes: Notes;
	/** The entries of earlier tries. */
	private readonly earlier: Notes['entries'];
	/** Those of them that no item of this try has asked for. Each call of a tool asks for its own only. */
	private readonly unasked: Set<string>;
	/** How many writes came so far in this try, by the hash of their subject. */
	private readonly counts = new Map<string, number>();
	/** Whether the entries are about others than the items of this try, so that none of these may be sent. */
	private isOfOthers = false;

	constructor(context: IExecuteFunctions) {
		const { parameters } = context.getNode();
		this.operation = `${String(parameters.resource)}.${String(parameters.operation)}`;
		this.isTool = isTool(context);
		this.isRetry = context.getMode() === 'retry';
		this.isContinued = isContinued(context);
		this.data = context.getContext('node');
		// As the tool of an AI agent, the node gets a new run index for each try.
		this.slot = this.isTool ? 'tool' : String(runIndexOf(context));
		const journals = (this.data.journals ??= {});
		const name = this.isContinued ? chainOf(context) : undefined;
		this.kept = journals[this.slot] ??= {
			chain: name ?? randomUUID(),
			isNamed: name !== undefined,
			isComplete: provesUnsent(context),
			operations: {},
		};
		this.notes = this.kept.operations[this.operation] ??= { entries: {} };
		this.earlier = { ...this.notes.entries };
		this.unasked = new Set(this.isTool ? [] : Object.keys(this.earlier));
	}

	/** Whether an earlier try of this very run may have sent something. */
	get mayHaveBegun(): boolean {
		return !this.kept.isComplete || Object.keys(this.earlier).length > 0;
	}

	/** Whether an earlier try may have sent an item that this try has not asked for, since it could not read it. */
	get mayHaveSentUnread(): boolean {
		return !this.kept.isComplete || this.unasked.size > 0;
	}

	/** Whether this execution may have sent something before this try began. */
	get mayHaveSent(): boolean {
		return this.mayHaveBegun || this.accepted > 0;
	}

	/** How many writes were accepted in earlier runs of the node in this execution, such as rounds of a loop. */
	get accepted(): number {
		return this.data.accepted ?? 0;
	}

	/**
	 * Says which account the writes of this try go to.
	 *
	 * @param whom the parameter that says whom they are about, as it is written
	 * @throws {Problem} when those of an earlier try went to another account: nobody can tell what this one lacks.
	 */
	useAccount(account: string, whom?: unknown): void {
		const hasSent = Object.keys(this.earlier).length > 0;
		if (hasSent && this.notes.account !== account) {
			throw new Problem(
				'An earlier try of this execution used another account or webhook, so nothing was sent',
				'To send everything to this one, start the workflow anew. To go on with the other one, choose its credential or webhook again and retry.',
			);
		}
		this.notes.account = account;
		if (!hasSent) this.notes.whom = whom;
		this.isOfOthers = this.notes.whom !== whom;
	}

	/** The ID of the entry for a write: its subject, and how many with the same subject came before it in this try. */
	entryIdOf(subject: Write['subject']): string {
		const hash = hashOf(subject);
		const count = this.counts.get(hash) ?? 0;
		this.counts.set(hash, count + 1);
		return `${hash}:${count}`;
	}

	/**
	 * What an earlier try has left, without claiming the key, of a write that this one does not send; undefined where it has
	 * left nothing.
	 */
	unclaimedOutcome(entryId: string, write: Write): Entry['outcome'] | undefined {
		const { outcome, key } = this.earlier[entryId] ?? {};
		if (outcome === 'unknown' && this.sendsUnknown(write)) return undefined;
		const isClaimed = write.key === undefined || key === hashOf(write.key);
		return isClaimed ? undefined : outcome;
	}

	/**
	 * Whether the user wants what is unknown to be sent again. Whoever retries an execution has looked at the service before,
	 * but nobody has between the tries of Retry On Fail. Within a retry, the ledger sends each key again only once.
	 */
	private sendsUnknown({ sendAgain }: Write): boolean {
		return sendAgain === 'unknown' && this.isRetry;
	}

	/**
	 * Tells what became of a write in an earlier try of this run.
	 *
	 * @returns the output of one that was accepted; undefined for one that may be sent.
	 * @throws {NotSentAgain} for one that may have been accepted, unless the user wants it to be sent again.
	 */
	earlierOutput(entryId: string, write: Write): IDataObject | undefined {
		const entry = this.earlier[entryId];
		this.unasked.delete(entryId);
		if (entry?.outcome === 'accepted') return entry.output;
		const { isComplete, isNamed } = this.kept;
		if (!entry && isComplete && !this.isOfOthers) return undefined;
		if (!entry && !isComplete && !isNamed) throw notSentAgain(undefined, NOT_NAMED);
		if (this.sendsUnknown(write)) return undefined;
		throw notSentAgain(entry?.reason, isComplete ? OF_OTHERS : NOT_TRACED);
	}

	/** The keys by which the ledger knows a write; none without "Send Once" if nobody else goes on with this execution. */
	keysOf(entryId: string, { key, sendAgain = 'nothing' }: Write): readonly WriteKey[] {
		const keys: WriteKey[] = [];
		if (this.isContinued && (this.kept.isNamed || this.isRetry)) {
			// Another retry of the execution may have sent it, whatever "Send Once" was set to.
			const ofChain = `retry:${this.kept.chain}:${this.slot}:${this.operation}:${entryId}`;
			keys.push({ key: ofChain, sendAgain: sendAgain === 'everybody' ? 'nothing' : sendAgain });
		}
		if (key !== undefined) {
			const wasSent = this.notes.sentToEverybody?.[hashOf(key)] === true;
			keys.push({ key, sendAgain: wasSent ? 'nothing' : sendAgain });
		}
		return keys;
	}

	/** The failure of a write whose outcome another retry has left unknown. */
	leftByOther(): NotSentAgain {
		return notSentAgain(LEFT_BY_OTHER_RETRY);
	}

	/**
	 * Sends a write, and notes what becomes of it.
	 *
	 * @throws what `send` throws; or an UnknownOutcome in place of an error that this package did not foresee.
	 */
	async sendNoted(
		entryId: string,
		{ key, sendAgain }: Write,
		send: () => Promise<IDataObject>,
	): Promise<IDataObject> {
		const claimed = key === undefined ? undefined : hashOf(key);
		const settle = (entry: Entry | undefined) => {
			if (entry) this.notes.entries[entryId] = entry;
			else delete this.notes.entries[entryId];
		};
		settle({ outcome: 'unknown', reason: STOPPED, key: claimed });
		try {
			const output = await send();
			// When a model asks for the same write once more, that is a new one.
			settle(this.isTool ? undefined : { outcome: 'accepted', output, key: claimed });
			if (key !== undefined && sendAgain === 'everybody') {
				(this.notes.sentToEverybody ??= {})[hashOf(key)] = true;
			}
			return output;
		} catch (error) {
			const { message: reason } = explainFailure(error);
			const failure = isOwnFailure(error)
				? error
				: new UnknownOutcome(reason, UNFORESEEN, { cause: error });
			// What an earlier try left unknown stays so.
			const isRefused = outcomeOf(failure) === 'refused';
			settle(isRefused ? this.earlier[entryId] : { outcome: 'unknown', reason, key: claimed });
			throw failure;
		}
	}

	/**
	 * Forgets the run, since no try follows. A tool remembers it, since a model may ask again for an unknown write.
	 *
	 * @param accepted how many of its writes were accepted
	 */
	end(accepted: number): void {
		if (this.isTool) return;
		this.data.accepted = this.accepted + accepted;
		delete this.data.journals?.[this.slot];
	}
}

/** @param reason why it is unknown: the failure of the earlier try, if that has left an entry */
function notSentAgain(reason?: string, advice = ''): NotSentAgain {
	return new NotSentAgain(
		'An earlier try may have been accepted, so this item was not sent again',
		reason === undefined ? advice : `The earlier try failed with: ${reason}. ${TO_GO_ON}`,
	);
}

function hashOf(value: unknown): string {
	const hash = createHash('sha256').update(JSON.stringify(value));
	return hash.digest('base64url').slice(0, HASH_LENGTH);
}
