import type { Outcome } from '../api/outcome';
import { RequestFailure } from '../api/requestFailure';
import { type Call, Ledger } from '../memory/ledger';
import { isOn, readTransport, resendUncertain } from '../panel/options';
import { Parameters } from '../panel/parameters';
import type { Identify, Item, Keyed, Result, Run, RunningOperation } from '../resources/operation';
import { type Journal, Unknown } from './journal';
import { Semaphore } from './semaphore';

/** Chunks of items that are handled side by side where a ledger is at work: one is claimed while another is sent. */
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
}

/** What the ledger has sent for an item. */
interface ItemCall extends Call {
	itemIndex: number;
	resultUnsent: Keyed['resultUnsent'];
}

/** What an earlier try made of an item. */
type EarlierResult = Extract<Result, { outcome: 'accepted' | 'unknown' }>;

/** Handles the items of a run, until one fails that ends it: those that were not begun have no result. */
export class ItemLoop {
	private readonly parts: ItemLoopParts;
	private readonly semaphore: Semaphore;
	private readonly results: Array<Result | undefined>;
	private readonly signal?: AbortSignal;
	private hasFailed = false;

	constructor(parts: ItemLoopParts) {
		const { run, running } = parts;
		const { concurrency = 1 } = running;
		this.parts = parts;
		this.signal = run.context.getExecutionCancelSignal();
		this.semaphore = new Semaphore(() =>
			concurrency === 'all' ? Infinity : Math.min(run.client.congestion.size, concurrency),
		);
		this.results = new Array(run.input.length);
	}

	/**
	 * Handles all items. Once it has begun to send it never rejects, since what became of them must not get lost.
	 *
	 * @param onAllBegun called when no further item is going to begin
	 */
	async handleAll(onAllBegun: () => void): Promise<Array<Result | undefined>> {
		const { identify } = this.parts;
		if (identify) await this.handleInChunks(identify);
		else await this.handleEach(onAllBegun);
		onAllBegun();
		return this.results;
	}

	private async handleEach(onAllBegun: () => void): Promise<void> {
		const { run, running } = this.parts;
		let left = run.input.length;
		const handle = async (itemIndex: number) => {
			if (--left === 0) onAllBegun();
			if (this.isOver) return;
			await this.begin(itemIndex, (item, earlier) => {
				if (earlier) return undefined;
				return this.send(item, async () => await running.execute(item));
			});
		};
		await Promise.all(
			run.input.map(async (_, itemIndex) => {
				await this.semaphore.run(async () => await handle(itemIndex));
			}),
		);
	}

	/** Hands the items to the ledger, chunk by chunk: it has those sent that were not sent before. */
	private async handleInChunks(identify: Identify): Promise<void> {
		const { context, input } = this.parts.run;
		const ledger = new Ledger(context);
		let next = 0;
		const handleChunks = async () => {
			while (!this.isOver && next < input.length) {
				const calls: ItemCall[] = [];
				while (!this.isOver && next < input.length && calls.length < ledger.chunkSize) {
					const call = this.begin(next++, (item, earlier) => {
						const keyed = identify(item);
						if (!earlier) return this.callOf(item, keyed);
						// Another item with its key is not sent either.
						ledger.note(keyed.key, earlier.outcome);
						return undefined;
					});
					if (call) calls.push(call);
				}
				await this.sendChunk(calls, ledger);
			}
		};
		await Promise.all(Array.from({ length: CHUNKS }, handleChunks));
		await ledger.finish();
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

	/**
	 * Begins an item: with what an earlier try made of it, which stands.
	 *
	 * @returns What the work has begun; undefined when it cannot be begun, such as for a wrong parameter.
	 */
	private begin<Begun>(
		itemIndex: number,
		work: (item: Item, earlier?: EarlierResult) => Begun,
	): Begun | undefined {
		const { context, client, input } = this.parts.run;
		const parameters = new Parameters(context, itemIndex);
		// Before anything is read that may be wrong now.
		const earlier = this.earlierResult(itemIndex);
		this.results[itemIndex] = earlier;
		try {
			const transport = readTransport(parameters);
			const item = { json: input[itemIndex], parameters, client: client.with(transport) };
			return work(item, this.isResent(item, earlier) ? undefined : earlier);
		} catch (error) {
			if (!earlier) this.fail(itemIndex, error, 'refused');
			return undefined;
		}
	}

	private async send(item: Item, send: Keyed['send']): Promise<Outcome> {
		const { itemIndex } = item.parameters;
		if (this.isOver) return 'refused';
		try {
			this.results[itemIndex] = { outcome: 'accepted', output: await send() };
			return 'accepted';
		} catch (error) {
			const otherwise = item.client.hasSent ? 'unknown' : 'refused';
			const outcome = error instanceof RequestFailure ? error.outcome : otherwise;
			this.fail(itemIndex, error, outcome);
			return outcome;
		}
	}

	private earlierResult(itemIndex: number): EarlierResult | undefined {
		const { run, journal } = this.parts;
		const earlier = journal?.recall(itemIndex, run.input[itemIndex]);
		if (earlier?.outcome !== 'unknown') return earlier;
		return { outcome: 'unknown', error: new Unknown(earlier.reason) };
	}

	/** Whether the user wants an item sent again of which nobody knows whether an earlier try has sent it. */
	private isResent({ parameters }: Item, earlier?: EarlierResult): boolean {
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isRetried = this.parts.journal?.isOfEarlierExecution === true;
		return earlier?.outcome === 'unknown' && isRetried && isOn(parameters, resendUncertain);
	}

	private fail(itemIndex: number, error: unknown, outcome: 'refused' | 'unknown'): void {
		const { running, continues } = this.parts;
		this.results[itemIndex] = { outcome, error };
		if (continues) return;
		this.hasFailed = true;
		running.abandon?.();
	}

	/** Whether no further item is to be begun. */
	private get isOver(): boolean {
		return this.hasFailed || this.signal?.aborted === true;
	}
}
