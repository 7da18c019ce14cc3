import { type Outcome, RequestFailure } from '../api/request';
import type { Call } from '../memory/call';
import { Ledger } from '../memory/ledger';
import { isOn, readTransport, resendUncertain } from '../panel/options';
import { Parameters } from '../panel/parameters';
import type {
	Identify,
	Item,
	KeyedItem,
	Result,
	Run,
	RunningOperation,
} from '../resources/operation';
import type { Journal } from './journal';
import { Semaphore } from './semaphore';

/** Chunks that are under way at once where a ledger is at work: one is claimed while another is sent. */
const CHUNKS = 2;

/** What a run is made of, for the loop over its items. */
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

/** A call that the ledger makes for an item. */
interface ItemCall extends Call {
	itemIndex: number;
	resultUnsent: KeyedItem['resultUnsent'];
}

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
		this.semaphore = new Semaphore(() =>
			concurrency === 'all' ? Infinity : Math.min(run.client.congestion.size, concurrency),
		);
		this.results = new Array(run.input.length);
		this.signal = run.context.getExecutionCancelSignal();
	}

	/** Handles all items. Once it has begun to send it never rejects, since what became of them must not get lost. */
	async handleAll(): Promise<Array<Result | undefined>> {
		const { identify } = this.parts;
		if (identify) await this.handleInChunks(identify);
		else await this.handleEach();
		return this.results;
	}

	/** Handles the items side by side; they begin in the order of the input. */
	private async handleEach(): Promise<void> {
		const { run, running } = this.parts;
		let next = 0;
		const handleNext = async () => {
			const itemIndex = next++;
			const item = this.read(itemIndex, (each) => each);
			if (item) await this.settleItem(itemIndex, async () => await running.execute(item));
		};
		await Promise.all(run.input.map(async () => await this.semaphore.run(handleNext)));
	}

	/** Hands the items in chunks to a ledger, which makes the calls that were not made before. */
	private async handleInChunks(identify: Identify): Promise<void> {
		const { context, input } = this.parts.run;
		const ledger = new Ledger(context);
		let next = 0;
		const handleChunks = async () => {
			while (next < input.length) {
				const calls: ItemCall[] = [];
				while (next < input.length && calls.length < ledger.chunkSize) {
					const itemIndex = next++;
					const call = this.read(itemIndex, (item) => this.toCall(itemIndex, identify(item)));
					if (call) calls.push(call);
				}
				await this.sendChunk(calls, ledger);
			}
		};
		await Promise.all(Array.from({ length: CHUNKS }, handleChunks));
		await ledger.finish();
	}

	private toCall(itemIndex: number, { request, ...keyed }: KeyedItem): ItemCall {
		const settle = async () => await this.settleItem(itemIndex, request);
		return { ...keyed, itemIndex, make: async () => await this.semaphore.run(settle) };
	}

	private async sendChunk(calls: readonly ItemCall[], ledger: Ledger): Promise<void> {
		try {
			const outcomes = await ledger.sendOnce(calls);
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

	/** Reads what is to be done for an item; undefined where nothing is, or where it cannot be read. */
	private read<Work>(itemIndex: number, toWork: (item: Item) => Work): Work | undefined {
		const { run, journal, onAllBegun } = this.parts;
		// What waits for it goes on in a later turn, when this last item has begun as well.
		if (itemIndex === run.input.length - 1) onAllBegun();
		if (this.isOver) return undefined;
		const json = run.input[itemIndex];
		const parameters = new Parameters(run.context, itemIndex);
		// What an earlier try made of the item stands, also when a parameter is wrong now.
		const earlier = journal?.recall(itemIndex);
		this.results[itemIndex] = earlier;
		try {
			if (earlier && !this.isResent(parameters, earlier)) return undefined;
			return toWork({ json, parameters, client: run.client.with(readTransport(parameters)) });
		} catch (error) {
			if (!earlier) this.fail(itemIndex, error, 'refused');
			return undefined;
		}
	}

	/** Whether the user wants an item sent again although its outcome in an earlier try is unknown. */
	private isResent(parameters: Parameters, { outcome }: Result): boolean {
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isRetried = this.parts.journal?.isOfEarlierExecution === true;
		return outcome === 'unknown' && isRetried && isOn(parameters, resendUncertain);
	}

	/** Makes the request of an item, unless the run is over. Never rejects. */
	private async settleItem(itemIndex: number, request: KeyedItem['request']): Promise<Outcome> {
		if (this.isOver) return 'refused';
		try {
			this.results[itemIndex] = { outcome: 'accepted', output: await request() };
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
}
