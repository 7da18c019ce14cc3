import { randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Clock } from '../api/time';
import { unlessAborted, untilSteady } from '../n8n/clock';
import type { Notices, Unsent, Write } from '../operations/operation';
import { Problem } from '../words/problem';
import {
	type Claim,
	Claims,
	type KeyOutcome,
	type NotedOutcome,
	type SharedKeys,
	type WriteKey,
} from './claims';
import { type Journal, outcomeOf } from './journal';

/** Batches under way at once: one is claimed while another is sent. */
const LANES = 2;
/**
 * The fewest and the most writes of a batch. The slower n8n's store is, the larger the batches are, so that it takes a
 * small part of the time. They are no larger than that, since a crash leaves the batches under way unknown.
 */
const MIN_BATCH = 50;
const MAX_BATCH = 1_000;
/** Milliseconds that a call of the store may take for the smallest batch. */
const CALL_TIME_OF_MIN_BATCH = 25;

/** What became of keys. A key that is missing was not sent. */
type Outcomes = ReadonlyMap<string, KeyOutcome>;

/** A write in the queue, or in a batch. */
interface QueuedWrite {
	keys: readonly WriteKey[];
	send(): Promise<IDataObject>;
	/** Gives the caller the result; `reject` gives it the failure. */
	resolve(result: IDataObject | Unsent): void;
	reject(error: unknown): void;
	/** Gives the outcomes to others who wait for the keys, once no other process can undo what is in the store. */
	release(outcomes: Outcomes): void;
}

/**
 * Makes each write once, over all runs of a node. Claims in n8n's store tell what other processes may have sent; a promise
 * for each key tells what this process has under way. Writes that come at about the same time go in batches, since each
 * call of the store rewrites all keys of the node.
 */
export class Ledger {
	private readonly claims: Claims;
	private readonly signal: AbortSignal;
	private readonly clock: Clock;
	private readonly shared: SharedKeys;
	private readonly workflow: string | undefined;
	private readonly node: string;
	private readonly execution: string;
	private readonly queue: QueuedWrite[] = [];
	/** What earlier tries have made of keys that they did not claim. */
	private readonly noted = new Map<string, NotedOutcome>();
	/** Each lane sends one batch after the other, as long as writes wait. */
	private openLanes = 0;
	/** What has to end before the run does: lanes, and what keeps other processes from undoing settled batches. */
	private readonly work: Array<Promise<void>> = [];

	constructor(
		context: IExecuteFunctions,
		signal: AbortSignal,
		{ clock, keys }: { clock: Clock; keys: SharedKeys },
	) {
		this.workflow = context.getWorkflow().id;
		this.node = `${this.workflow}:${context.getNode().id}`;
		this.execution = context.getExecutionId() ?? randomUUID();
		this.claims = new Claims(context, clock, keys);
		this.shared = keys;
		this.signal = signal;
		this.clock = clock;
	}

	/**
	 * Makes a write, unless one of its keys was sent before. A key that this process has under way already is waited for. It
	 * is made once, as long as its keys are remembered.
	 *
	 * @returns What `send` returned, or why it was not called.
	 * @throws what `send` throws; or a Problem when n8n's store cannot be used, so that the write was not made.
	 */
	async once(
		keys: readonly WriteKey[],
		send: () => Promise<IDataObject>,
	): Promise<IDataObject | Unsent> {
		if (!this.workflow) {
			throw new Problem(
				'The workflow is not saved, but "Send Once" and retries need that',
				'Save it, then run it again. Where it cannot be saved, set "Send Once" to "Off".',
			);
		}
		const noted = keys.map(({ key }) => answerToRepeat(this.noted.get(key))).find(Boolean);
		if (noted) return noted;
		const { underWay, sentAgain } = this.shared;
		const names = keys.map(({ key }) => this.nameOf(key));
		const findOther = () => names.map((name) => underWay.get(name)).find(Boolean);
		for (let other = findOther(); other; other = findOther()) {
			// Once the run has ended, the client itself sends nothing any more.
			if (this.signal.aborted) return await send();
			const outcome = await unlessAborted(other, this.signal).catch(() => undefined);
			const unsent = answerToRepeat(outcome);
			if (unsent) return unsent;
		}
		const sentBefore = names.map((name) => sentAgain.get(`${this.execution}:${name}`));
		const unsent = sentBefore.map(answerToRepeat).find(Boolean);
		if (unsent) return unsent;
		return await new Promise((resolve, reject) => {
			const outcomes = new Promise<Outcomes>((release) => {
				this.queue.push({ keys, send, resolve, reject, release });
			});
			for (const { key } of keys) {
				const outcome = outcomes.then((known) => known.get(key) ?? 'refused');
				underWay.set(this.nameOf(key), outcome);
			}
			if (this.openLanes < LANES) this.work.push(this.sendBatches());
		});
	}

	/** Remembers the key of a write that an earlier try has made without a claim. */
	note(key: string, outcome: NotedOutcome): void {
		this.noted.set(key, outcome);
	}

	/** Resolves when nothing is under way any more, and all accepted keys are known. Never rejects. */
	async finish(): Promise<void> {
		while (this.work.length > 0) await this.work.shift();
		await this.claims.finish(this.noted);
	}

	/** Sends the waiting writes in batches, until none is left. */
	private async sendBatches(): Promise<void> {
		this.openLanes++;
		while (this.queue.length > 0) {
			await untilSteady(() => Math.min(this.queue.length, this.batchSize), this.clock);
			// The other lane may have taken all.
			const batch = this.queue.splice(0, this.batchSize);
			if (batch.length > 0) await this.sendBatch(batch);
		}
		// The lane closes at the very moment when it finds nothing, so that a later write opens another one.
		this.openLanes--;
	}

	private get batchSize(): number {
		const size = Math.ceil((MIN_BATCH * this.claims.callTime) / CALL_TIME_OF_MIN_BATCH);
		return Math.min(Math.max(size, MIN_BATCH), MAX_BATCH);
	}

	/**
	 * Makes the writes of a batch whose keys were not sent before, side by side. If the store fails, nothing is sent, and the
	 * callers get its failure. Never rejects.
	 */
	private async sendBatch(batch: readonly QueuedWrite[]): Promise<void> {
		let claim: Claim | undefined;
		try {
			// Once the run has ended, nothing is claimed, since the client itself sends nothing any more.
			if (!this.signal.aborted) claim = await this.claims.claim(batch.flatMap(({ keys }) => keys));
		} catch (error) {
			for (const { reject } of batch) reject(storeFailure(error));
			return this.release(batch, new Map());
		}
		const made = await Promise.all(batch.map(async (write) => await makeWrite(write, claim)));
		const outcomes = new Map(made.flat());
		const keepSettled = claim && (await this.claims.settle(claim, outcomes));
		const end = async () => {
			await keepSettled?.();
			this.release(batch, outcomes);
		};
		// The next batch begins meanwhile.
		this.work.push(end());
	}

	/** Releases the keys of a batch, so that others may use them. */
	private release(batch: readonly QueuedWrite[], outcomes: Outcomes): void {
		const { underWay, sentAgain } = this.shared;
		for (const { keys, release } of batch) {
			for (const { key, sendAgain } of keys) {
				const name = this.nameOf(key);
				underWay.delete(name);
				if (sendAgain === 'nothing') continue;
				sentAgain.set(`${this.execution}:${name}`, outcomes.get(key) ?? 'refused');
			}
			release(outcomes);
		}
	}

	private nameOf(key: string): string {
		return `${this.node}:${key}`;
	}
}

/**
 * Makes a write, unless there is a reason not to, and gives its caller the result at once, since a failure may end the
 * run. Never rejects.
 *
 * @returns What became of its keys.
 */
async function makeWrite(
	{ keys, send, resolve, reject }: QueuedWrite,
	claim?: Claim,
): Promise<Array<[string, KeyOutcome]>> {
	const unsent = keys.map(({ key }) => claim?.unsent.get(key)).find(Boolean);
	if (unsent) {
		resolve(unsent);
		// A write that was sent by one key counts as sent by all. If it is unknown by one, the others stay as they were.
		const outcomeOfRest = unsent === 'skipped' ? 'accepted' : 'refused';
		return keys.map(({ key }) => [key, claim?.before.get(key) ?? outcomeOfRest]);
	}
	const outcome = await send().then(
		(result) => {
			resolve(result);
			return 'accepted' as const;
		},
		(error: unknown) => {
			reject(error);
			return outcomeOf(error);
		},
	);
	return keys.map(({ key }) => [key, outcome]);
}

/** Why a second write with a key is not made; undefined when it is made. */
function answerToRepeat(outcome?: KeyOutcome): Unsent | undefined {
	if (outcome === undefined || outcome === 'refused') return undefined;
	return outcome === 'accepted' || outcome === 'skipped' ? 'skipped' : 'unknown';
}

/** The failure of writes that were not made because n8n's store failed. */
function storeFailure(error: unknown): Problem {
	return new Problem(
		'n8n could not record this item, so it was not sent',
		`When fewer of its executions are under way, retry this one, or run the workflow with only such items. If that calls this item unknown, this run has not sent it. (${String(error)})`,
	);
}

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';

/** What keeps the writes of a run from happening twice. */
export interface Memories {
	/** Knows what earlier tries of this execution did. */
	journal: Journal;
	/** Knows by key what was sent: by any run of the node with "Send Once", and by other retries of the execution. */
	ledger: Ledger;
	notices: Notices;
}

/** Makes a write that must not happen twice: see `WriteRun.once`. */
export async function writeOnce(
	{ journal, ledger, notices }: Memories,
	write: Write,
	send: () => Promise<IDataObject>,
): Promise<IDataObject> {
	const entryId = journal.entryIdOf(write.subject);
	const outcome = journal.unclaimedOutcome(entryId, write);
	// "Send Once" may have been off in the earlier try.
	if (outcome && write.key !== undefined) ledger.note(write.key, outcome);
	const earlier = journal.earlierOutput(entryId, write);
	if (earlier) return earlier;
	const sendNoted = async () => await journal.sendNoted(entryId, write, send);
	const keys = journal.keysOf(entryId, write);
	const result = await (keys.length > 0 ? ledger.once(keys, sendNoted) : sendNoted());
	if (typeof result !== 'string') return result;
	if (write.key === undefined) {
		// The operation knows nothing about other retries, so it cannot say why.
		if (result === 'unknown') throw journal.leftByOther();
		notices.add(DONE_BY_OTHER_RETRY, 'info');
	}
	return write.outputUnsent?.(result) ?? { outcome: result };
}
