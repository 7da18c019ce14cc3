import type { IExecuteFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../api/boundedMap';
import type { Clock } from '../../api/time';
import { systemClock, unlessAborted } from '../../n8n/clock';
import { Problem } from '../../n8n/problem';
import type { Unsent } from '../../resources/operation';
import { Claims } from './claims';
import type { KeyedCall, LedgerOutcome } from './keyedCall';

/** Batches under way at once: one is claimed while another is sent. */
const BATCHES = 2;
/** The most keys of a batch. The slower n8n's store, the more, so that it takes a small part of the time. */
const BATCH_SIZE = 200;
const BATCH_SIZE_IF_SLOW = 1_000;
/** The most keys that this process remembers of executions with "Reset Sent History" or "Resend Uncertain". */
const MAX_SENT_AGAIN = 50_000;

/** A call that waits for its batch, or is part of one. */
interface Waiting extends KeyedCall {
	/** Names its key among those of all nodes. */
	name: string;
	/** Tells the caller what became of it. */
	settle(outcome: LedgerOutcome): void;
	/** Tells the caller that it was not made, since n8n's store failed. */
	fail(problem: Problem): void;
	/** Tells others who wait for the key, once no other process can undo what the store has noted of it. */
	end(outcome: LedgerOutcome): void;
}

/** Keys that this process has under way, with a promise of what became of each. */
const underWay = new Map<string, Promise<LedgerOutcome>>();
/** What became of keys that were sent again on purpose, by execution: each is sent again only once in an execution. */
const sentAgain = new BoundedMap<string, LedgerOutcome>(MAX_SENT_AGAIN);

/**
 * Makes each call once, over all runs of a node. Claims in n8n's store tell what other processes may have sent; a promise
 * for each key tells what this process has under way. Calls that come at about the same time go in batches, since each
 * call of the store reads and writes all keys of the node.
 */
export class Ledger {
	private readonly claims: Claims;
	private readonly signal: AbortSignal;
	private readonly clock: Clock;
	private readonly node: string;
	private readonly execution: string | undefined;
	private readonly waiting: Waiting[] = [];
	private batches = 0;
	/** What is left to do for batches and their claims. Only the end of the run waits for it. */
	private readonly endings: Array<Promise<void>> = [];

	constructor(context: IExecuteFunctions, signal: AbortSignal, clock: Clock = systemClock) {
		this.node = `${context.getWorkflow().id}:${context.getNode().id}`;
		this.execution = context.getExecutionId();
		this.claims = new Claims(context, clock);
		this.signal = signal;
		this.clock = clock;
	}

	/**
	 * Makes a call, unless its key was sent before. A key that this process has under way already is waited for.
	 *
	 * @throws {Problem} when n8n's store fails. Then the call was not made.
	 */
	async once(call: KeyedCall): Promise<LedgerOutcome> {
		const name = `${this.node}:${call.key}`;
		for (let other = underWay.get(name); other; other = underWay.get(name)) {
			// Once the run has ended, the call refuses by itself.
			if (this.signal.aborted) return await call.send();
			const ended = unlessAborted(other, this.signal).catch(() => undefined);
			const unsent = outcomeOfRepeat(await ended);
			if (unsent) return unsent;
		}
		const isAgain = call.forget || call.resend;
		const unsent = isAgain ? outcomeOfRepeat(sentAgain.get(this.nameInExecution(name))) : undefined;
		if (unsent) return unsent;
		const outcome = await new Promise<LedgerOutcome>((settle, fail) => {
			const ended = new Promise<LedgerOutcome>((end) => {
				this.waiting.push({ ...call, name, settle, fail, end });
			});
			underWay.set(name, ended);
			if (this.batches < BATCHES) this.endings.push(this.makeBatches());
		});
		// An execution that is not saved has no ID.
		if (isAgain && this.execution) sentAgain.set(this.nameInExecution(name), outcome);
		return outcome;
	}

	/** Resolves when nothing is under way any more, and all accepted keys are known. Never rejects. */
	async settled(): Promise<void> {
		// A batch that ends adds another end: that of its claim.
		while (this.endings.length > 0) await Promise.all(this.endings.splice(0));
		await this.claims.finish();
	}

	private nameInExecution(name: string): string {
		return `${this.execution}:${name}`;
	}

	/** Makes batches of what waits, until nothing does. */
	private async makeBatches(): Promise<void> {
		this.batches++;
		while (this.waiting.length > 0) {
			await this.gather();
			// The other batch may have taken all.
			const batch = this.waiting.splice(0, this.batchSize);
			if (batch.length > 0) await this.make(batch);
		}
		this.batches--;
	}

	/** Waits for as long as calls keep coming, since items begin one after the other. */
	private async gather(): Promise<void> {
		for (let before = 0; before < this.waiting.length && before < this.batchSize; ) {
			before = this.waiting.length;
			await this.clock.wait(0);
		}
	}

	private get batchSize(): number {
		return this.claims.areSlow ? BATCH_SIZE_IF_SLOW : BATCH_SIZE;
	}

	/**
	 * Makes the calls of a batch whose keys were not sent before, side by side. Each caller is told at once, since a
	 * failure may end the run; n8n's store when all are made. Never rejects.
	 */
	private async make(batch: readonly Waiting[]): Promise<void> {
		try {
			// Once the run has ended, nothing is claimed any more: each call refuses by itself.
			const claim = this.signal.aborted ? undefined : await this.claims.claim(batch);
			const outcomes = await Promise.all(
				batch.map(async (call, index) => {
					const outcome = claim?.keys[index].unsent ?? (await call.send());
					call.settle(outcome);
					return outcome;
				}),
			);
			const removed = claim && (await this.claims.settle(claim, outcomes));
			const ending = removed ? this.claims.lookAfter(removed) : Promise.resolve();
			this.endings.push(ending.then(() => release(batch, outcomes)));
		} catch (error) {
			for (const call of batch) call.fail(storeFailure(error));
			release(batch, []);
		}
	}
}

/** Lets others have the keys of a batch. Without an outcome, its calls were not made. */
function release(batch: readonly Waiting[], outcomes: readonly LedgerOutcome[]): void {
	for (const [index, { name, end }] of batch.entries()) {
		underWay.delete(name);
		end(outcomes[index] ?? 'refused');
	}
}

/** The answer to a second call with a key; undefined when that call is made. */
function outcomeOfRepeat(outcome?: LedgerOutcome): Unsent | undefined {
	if (outcome === undefined || outcome === 'refused') return undefined;
	return outcome === 'accepted' || outcome === 'skipped' ? 'skipped' : 'uncertain';
}

/** The failure of calls that were not made because n8n's store failed. */
function storeFailure(error: unknown): Problem {
	if (error instanceof Problem) return error;
	return new Problem(
		'n8n could not note that this item is sent, so it was not sent',
		`Run the workflow again later. If the item comes out as uncertain then, turn on "Resend Uncertain" for one run. (${String(error)})`,
	);
}
