import type { Client } from '../api/client';
import { type Outcome, RequestFailure } from '../api/request';
import type { Call } from '../memory/call';
import { Ledger } from '../memory/ledger';
import { Problem } from '../problem';
import { isOn, readTransport, resendUncertain } from '../panel/options';
import { ItemParameters } from '../panel/parameters';
import type { EachTime, Item, OnceItem, OnlyOnce, Result, Run } from '../resources/operation';
import type { Journal } from './journal';
import { Semaphore } from './semaphore';

/** Chunks that are under way at once where a ledger is at work: one is claimed while another is sent. */
const CHUNKS = 2;

/** What a run is made of, for the loop over its items. */
export interface ItemLoopParts {
	run: Run;
	/** What is done with an item. */
	handling: EachTime | OnlyOnce;
	/** How many items may be handled at once; fewer where the service takes no more. */
	concurrency: number | 'all';
	/** What earlier tries of this run did; undefined where it does not matter whether an item is handled twice. */
	journal?: Journal;
	/** Whether the others go on when an item fails. */
	continues: boolean;
	/** Called when no further item is going to begin. */
	onAllBegun(): void;
	/** Called when an item fails that ends the run. */
	onAbandoned(): void;
}

/** An item of a chunk, and its place in the input. */
interface ChunkItem extends OnceItem {
	itemIndex: number;
}

/** Handles the items of a run, until one fails that ends it: those that were not begun have no result. */
export class ItemLoop {
	private readonly parts: ItemLoopParts;
	private readonly semaphore: Semaphore;
	private readonly results: Array<Result | undefined>;
	/** The clients of the items that began. */
	private readonly clients: Client[] = [];
	private readonly signal?: AbortSignal;
	/** The item that begins next. */
	private next = 0;
	private hasFailed = false;

	constructor(parts: ItemLoopParts) {
		const { run, concurrency } = parts;
		this.parts = parts;
		this.semaphore = new Semaphore(() =>
			concurrency === 'all' ? Infinity : Math.min(run.client.congestion.size, concurrency),
		);
		this.results = new Array(run.input.length);
		this.signal = run.context.getExecutionCancelSignal();
	}

	/** Handles all items. Once it has begun to send it never rejects, since what became of them must not get lost. */
	async handleAll(): Promise<Array<Result | undefined>> {
		const { handling } = this.parts;
		if ('identify' in handling) await this.handleInChunks(handling);
		else await this.handleEach(handling);
		return this.results;
	}

	/** Handles the items side by side; they begin in the order of the input. */
	private async handleEach({ execute }: EachTime): Promise<void> {
		const handleNext = async () => {
			const itemIndex = this.next++;
			const item = this.read(itemIndex, (each) => each);
			if (item) await this.handle(itemIndex, async () => await execute(item));
		};
		const { input } = this.parts.run;
		await Promise.all(input.map(async () => await this.semaphore.run(handleNext)));
	}

	/** Hands the items in chunks to a ledger, which makes the calls that were not made before. */
	private async handleInChunks(once: OnlyOnce): Promise<void> {
		const { context, input } = this.parts.run;
		const ledger = new Ledger(context);
		const handleChunks = async () => {
			while (this.next < input.length) {
				await this.sendChunk(this.nextChunk(ledger.chunkSize, once), ledger);
			}
		};
		await Promise.all(Array.from({ length: CHUNKS }, handleChunks));
		await ledger.finish();
	}

	/** Reads the next items that are to be sent. */
	private nextChunk(size: number, { identify }: OnlyOnce): ChunkItem[] {
		const chunk: ChunkItem[] = [];
		while (this.next < this.parts.run.input.length && chunk.length < size) {
			const itemIndex = this.next++;
			const item = this.read(itemIndex, identify);
			if (item) chunk.push({ ...item, itemIndex });
		}
		return chunk;
	}

	private async sendChunk(chunk: readonly ChunkItem[], ledger: Ledger): Promise<void> {
		const calls = chunk.map(({ itemIndex, request, ...once }): Call => {
			const handle = async () => await this.handle(itemIndex, request);
			return { ...once, make: async () => await this.semaphore.run(handle) };
		});
		try {
			const outcomes = await ledger.sendOnce(calls);
			for (const [index, { itemIndex, resultUnsent }] of chunk.entries()) {
				const outcome = outcomes[index];
				if (outcome !== 'skipped' && outcome !== 'uncertain') continue;
				this.results[itemIndex] = resultUnsent(outcome);
			}
		} catch (error) {
			// The store failed before they were sent.
			const left = chunk.filter(({ itemIndex }) => !this.results[itemIndex]);
			for (const { itemIndex } of left) this.fail(itemIndex, ofStore(error), 'refused');
		}
	}

	/** Reads what is to be done for an item; undefined where nothing is, or where it cannot be read. */
	private read<Work>(itemIndex: number, toWork: (item: Item) => Work): Work | undefined {
		const { run, journal, onAllBegun } = this.parts;
		// What waits for it goes on in a later turn, when this last item has begun as well.
		if (itemIndex === run.input.length - 1) onAllBegun();
		if (this.isOver) return undefined;
		const parameters = new ItemParameters(run.context, itemIndex);
		// What an earlier try made of the item stands, also when a parameter is wrong now.
		const earlier = journal?.recall(itemIndex);
		this.results[itemIndex] = earlier;
		try {
			if (earlier && !this.isResent(parameters, earlier)) return undefined;
			const client = run.client.with(readTransport(parameters));
			this.clients[itemIndex] = client;
			return toWork({ json: run.input[itemIndex], parameters, client });
		} catch (error) {
			if (!earlier) this.fail(itemIndex, error, 'refused');
			return undefined;
		}
	}

	/** Whether the user wants an item sent again although its outcome in an earlier try is unknown. */
	private isResent(parameters: ItemParameters, { outcome }: Result): boolean {
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isRetried = this.parts.journal?.isOfEarlierExecution === true;
		return outcome === 'unknown' && isRetried && isOn(parameters, resendUncertain);
	}

	/** Makes the request of an item, unless the run is over. Never rejects. */
	private async handle(itemIndex: number, request: OnceItem['request']): Promise<Outcome> {
		if (this.isOver) return 'refused';
		try {
			this.results[itemIndex] = { outcome: 'accepted', output: await request() };
			return 'accepted';
		} catch (error) {
			const outcome =
				error instanceof RequestFailure ? error.outcome : this.outcomeUnexplained(itemIndex);
			this.fail(itemIndex, error, outcome);
			return outcome;
		}
	}

	/** What became of an item that failed, but not by a request: mostly by a parameter, before anything was sent. */
	private outcomeUnexplained(itemIndex: number): 'refused' | 'unknown' {
		return this.clients[itemIndex]?.hasSent ? 'unknown' : 'refused';
	}

	private fail(itemIndex: number, error: unknown, outcome: 'refused' | 'unknown'): void {
		this.results[itemIndex] = { outcome, error };
		if (this.parts.continues) return;
		this.hasFailed = true;
		this.parts.onAbandoned();
	}

	/** Whether an item failed that ends the run, or somebody cancels it. */
	private get isOver(): boolean {
		return this.hasFailed || this.signal?.aborted === true;
	}
}

/** What a failure of n8n's store means for the items that were to be sent. */
function ofStore(error: unknown): unknown {
	if (error instanceof Problem) return error;
	return new Problem(
		'n8n could not note that this item is sent, so it was not sent',
		`Run the workflow again later. (${String(error)})`,
	);
}
