import { type Outcome, RequestFailure } from '../api/request';
import { type Call, Ledger } from '../memory/ledger';
import { isOn, readTransport, resendUncertain } from '../panel/options';
import { Parameters } from '../panel/parameters';
import type { Identify, Item, Keyed, Result, Run, RunningOperation } from '../resources/operation';
import type { Journal } from './journal';
import { Semaphore } from './semaphore';

/** Chunks that are under way at once where a ledger is at work: one is claimed while another is sent. */
const CHUNKS = 2;

export interface ItemLoopParts {
	run: Run;
	running: RunningOperation;
	/** What earlier tries of this run did; undefined where it does not matter whether an item is handled twice. */
	journal?: Journal;
	/** How the ledger knows the items, where each is sent once over several runs. */
	identify?: Identify;
	/** Whether the others go on when an item fails. */
	continues: boolean;
	/** Called when no further item is going to begin. */
	onAllBegun(): void;
}

/** A call that the ledger sends for an item. */
interface ItemCall extends Call {
	itemIndex: number;
	resultUnsent: Keyed['resultUnsent'];
}

/** Handles the items of a run, until one fails that ends it: those that were not begun have no result. */
export class ItemLoop {
	private readonly parts: ItemLoopParts;
	private readonly semaphore: Semaphore;
	private readonly ledger?: Ledger;
	private readonly results: Array<Result | undefined>;
	private readonly signal?: AbortSignal;
	private next = 0;
	private hasFailed = false;

	constructor(parts: ItemLoopParts) {
		const { run, running, identify } = parts;
		const { concurrency = 1 } = running;
		this.parts = parts;
		this.semaphore = new Semaphore(() =>
			concurrency === 'all' ? Infinity : Math.min(run.client.congestion.size, concurrency),
		);
		this.ledger = identify && new Ledger(run.context);
		this.results = new Array(run.input.length);
		this.signal = run.context.getExecutionCancelSignal();
	}

	/** Handles all items. Once it has begun to send it never rejects, since what became of them must not get lost. */
	async handleAll(): Promise<Array<Result | undefined>> {
		const { ledger, semaphore } = this;
		const { run, onAllBegun } = this.parts;
		await Promise.all(
			ledger
				? Array.from({ length: CHUNKS }, async () => await this.handleChunks(ledger))
				: run.input.map(async () => await semaphore.run(async () => await this.handleItem())),
		);
		onAllBegun();
		await ledger?.finish();
		return this.results;
	}

	private async handleItem(): Promise<void> {
		const item = this.begin()?.item;
		if (item) await this.send(item, async () => await this.parts.running.execute(item));
	}

	/** Hands items to the ledger, chunk by chunk: it has those sent that were not sent before. */
	private async handleChunks(ledger: Ledger): Promise<void> {
		while (this.hasNext) {
			const calls: ItemCall[] = [];
			while (this.hasNext && calls.length < ledger.chunkSize) {
				const call = this.begin()?.call;
				if (call) calls.push(call);
			}
			await this.sendChunk(calls, ledger);
		}
	}

	private async sendChunk(calls: readonly ItemCall[], ledger: Ledger): Promise<void> {
		try {
			const outcomes = await ledger.send(calls);
			for (const [index, { itemIndex, resultUnsent }] of calls.entries()) {
				const outcome = outcomes[index];
				if (outcome !== 'skipped' && outcome !== 'uncertain') continue;
				this.results[itemIndex] = resultUnsent(outcome);
			}
		} catch (error) {
			// The store failed before they were sent.
			const left = calls.filter(({ itemIndex }) => !this.results[itemIndex]);
			for (const { itemIndex } of left) this.fail(itemIndex, error, 'refused');
		}
	}

	private callOf(item: Item, { key, forget, send, resultUnsent }: Keyed): ItemCall {
		return {
			itemIndex: item.parameters.itemIndex,
			key,
			forget,
			resend: isOn(item.parameters, resendUncertain),
			send: async () => await this.semaphore.run(async () => await this.send(item, send)),
			resultUnsent,
		};
	}

	/** Reads the parameters of the next item; undefined when there is nothing to do for it, or none. */
	private begin(): { item: Item; call?: ItemCall } | undefined {
		const { run, journal, identify, onAllBegun } = this.parts;
		const itemIndex = this.hasNext ? this.next++ : undefined;
		if (!this.hasNext) onAllBegun();
		if (itemIndex === undefined) return undefined;

		const json = run.input[itemIndex];
		// What an earlier try made of the item stands, also when a parameter is wrong now.
		const earlier = journal?.recall(itemIndex, json);
		this.results[itemIndex] = earlier;
		try {
			const parameters = new Parameters(run.context, itemIndex);
			const item = { json, parameters, client: run.client.with(readTransport(parameters)) };
			const keyed = identify?.(item);
			if (!earlier || this.isResent(item, earlier)) {
				return { item, call: keyed && this.callOf(item, keyed) };
			}
			// Another item with its key is not sent either.
			if (keyed) this.ledger?.note(keyed.key, earlier.outcome);
		} catch (error) {
			if (!earlier) this.fail(itemIndex, error, 'refused');
		}
		return undefined;
	}

	/** Whether the user wants an item sent again of which nobody knows whether an earlier try has sent it. */
	private isResent({ parameters }: Item, { outcome }: Result): boolean {
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isRetried = this.parts.journal?.isOfEarlierExecution === true;
		return outcome === 'unknown' && isRetried && isOn(parameters, resendUncertain);
	}

	private async send(item: Item, send: Keyed['send']): Promise<Outcome> {
		const { itemIndex } = item.parameters;
		if (this.isOver) return 'refused';
		try {
			this.results[itemIndex] = { outcome: 'accepted', output: await send() };
			return 'accepted';
		} catch (error) {
			// What else may fail are parameters, which are read before anything is sent.
			const outcome = error instanceof RequestFailure ? error.outcome : 'refused';
			this.fail(itemIndex, error, outcome);
			return outcome;
		}
	}

	private fail(itemIndex: number, error: unknown, outcome: 'refused' | 'unknown'): void {
		const { running, continues } = this.parts;
		this.results[itemIndex] = { outcome, error };
		if (continues) return;
		this.hasFailed = true;
		running.abandon?.();
	}

	/** Whether an item failed that ends the run, or somebody cancels it. */
	private get isOver(): boolean {
		return this.hasFailed || this.signal?.aborted === true;
	}

	/** Whether a further item is to be begun. */
	private get hasNext(): boolean {
		return !this.isOver && this.next < this.results.length;
	}
}
