import { type FailedOutcome, type Outcome, RequestFailure } from '../api/request';
import type { KeyedCall } from '../memory/keyedCall';
import { Ledger } from '../memory/ledger';
import { Problem } from '../problem';
import { isOptionOn, readTransport, resendUncertainField } from '../panel/options';
import { ItemParameters } from '../panel/parameters';
import type {
	EachTime,
	Handling,
	Item,
	OnceItem,
	OnlyOnce,
	Output,
	Result,
	Run,
	Together,
} from '../resources/operation';
import type { Journal } from './journal';
import { Semaphore } from './semaphore';

/** Chunks that are under way at once where a ledger is at work: one is claimed while another is sent. */
const CHUNKS = 2;

/** What the loop over the items of a run needs. */
export interface ItemLoopParts {
	run: Run;
	/** How an item is handled. */
	handling: Handling;
	/** How many items may be handled at once; fewer where the service takes no more. */
	concurrency: number;
	/** What earlier tries of this run did; undefined where it does not matter whether an item is handled twice. */
	journal?: Journal;
	/** Whether the others go on when an item fails. */
	continues: boolean;
	/** Called when an item fails and so ends the run. */
	onAbandoned(): void;
}

/** An item that has begun, and what is to be done for it. */
interface Begun<Plan> {
	item: Item;
	plan: Plan;
}

/** Handles the items of a run, until one fails and so ends it. Items that were not begun have no result. */
export class ItemLoop {
	private readonly parts: ItemLoopParts;
	private readonly semaphore: Semaphore;
	private readonly results: Array<Result | undefined>;
	private readonly signal?: AbortSignal;
	/** The item that begins next. */
	private next = 0;
	private hasFailed = false;

	constructor(parts: ItemLoopParts) {
		const { run, concurrency } = parts;
		this.parts = parts;
		this.semaphore = new Semaphore(() => Math.min(run.client.congestion.size, concurrency));
		this.results = new Array(run.input.length);
		this.signal = run.context.getExecutionCancelSignal();
	}

	/** Handles all items. Once it has begun to send, it never rejects, so that no outcome gets lost. */
	async handleAll(): Promise<Array<Result | undefined>> {
		const { handling } = this.parts;
		if ('identify' in handling) await this.handleInChunks(handling);
		else if ('ask' in handling) await this.handleTogether(handling);
		else await this.handleEach(handling);
		return this.results;
	}

	/** Handles the items side by side; they begin in the order of the input. */
	private async handleEach({ execute }: EachTime): Promise<void> {
		const handleNext = async () => {
			const begun = this.begin((item) => async () => await execute(item));
			if (begun) await this.send(begun);
		};
		const { input } = this.parts.run;
		await Promise.all(input.map(async () => await this.semaphore.run(handleNext)));
	}

	/** Lets all items ask for what they need, and then handles them all at once. */
	private async handleTogether({ ask }: Together): Promise<void> {
		const asked: Array<Begun<() => Promise<Output>>> = [];
		const askNext = async () => {
			const begun = this.begin(ask);
			if (begun) asked.push(begun);
		};
		const { input } = this.parts.run;
		while (this.next < input.length) await this.semaphore.run(askNext);
		await Promise.all(asked.map(async (each) => await this.send(each)));
	}

	/** Hands the items in chunks to a ledger, which makes the calls that were not made before. */
	private async handleInChunks({ identify }: OnlyOnce): Promise<void> {
		const { context, input } = this.parts.run;
		const ledger = new Ledger(context);
		const handleChunks = async () => {
			while (this.next < input.length) {
				await this.sendChunk(this.nextChunk(ledger.chunkSize, identify), ledger);
			}
		};
		await Promise.all(Array.from({ length: CHUNKS }, handleChunks));
		await ledger.finish();
	}

	/** Reads the next items that are to be sent. */
	private nextChunk(size: number, identify: OnlyOnce['identify']): Array<Begun<OnceItem>> {
		const chunk: Array<Begun<OnceItem>> = [];
		while (this.next < this.parts.run.input.length && chunk.length < size) {
			const begun = this.begin(identify);
			if (begun) chunk.push(begun);
		}
		return chunk;
	}

	private async sendChunk(chunk: ReadonlyArray<Begun<OnceItem>>, ledger: Ledger): Promise<void> {
		const calls = chunk.map(({ item, plan: { key, forget, resend, request } }): KeyedCall => {
			const send = async () => await this.send({ item, plan: request });
			return { key, forget, resend, send: async () => await this.semaphore.run(send) };
		});
		try {
			const outcomes = await ledger.sendOnce(calls);
			for (const [index, { item, plan }] of chunk.entries()) {
				const outcome = outcomes[index];
				if (outcome !== 'skipped' && outcome !== 'uncertain') continue;
				this.results[item.parameters.itemIndex] = plan.resultIfUnsent(outcome);
			}
		} catch (error) {
			// Those that have no result were not sent.
			for (const { item } of chunk) this.failUnsent(item.parameters.itemIndex, storeFailure(error));
		}
	}

	/** Begins the next item; undefined where nothing is to be done for it, or its parameters cannot be used. */
	private begin<Plan>(toPlan: (item: Item) => Plan): Begun<Plan> | undefined {
		const { run, journal } = this.parts;
		const itemIndex = this.next++;
		if (this.isOver) return undefined;
		const parameters = new ItemParameters(run.context, itemIndex);
		const earlier = journal?.recall(itemIndex);
		this.results[itemIndex] = earlier;
		try {
			if (earlier && !this.isResent(parameters, earlier)) return undefined;
			const client = run.client.with(readTransport(parameters));
			const item = { json: run.input[itemIndex], parameters, client };
			return { item, plan: toPlan(item) };
		} catch (error) {
			this.failUnsent(itemIndex, error);
			return undefined;
		}
	}

	/** Whether the user wants an item sent again although its outcome in an earlier try is unknown. */
	private isResent(parameters: ItemParameters, { outcome }: Result): boolean {
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isRetried = this.parts.journal?.isOfEarlierExecution === true;
		return outcome === 'unknown' && isRetried && isOptionOn(parameters, resendUncertainField);
	}

	/** Makes the request of an item, unless the run is over. Never rejects. */
	private async send({ item, plan: request }: Begun<() => Promise<Output>>): Promise<Outcome> {
		if (this.isOver) return 'refused';
		const { itemIndex } = item.parameters;
		try {
			this.results[itemIndex] = { outcome: 'accepted', output: await request() };
			return 'accepted';
		} catch (error) {
			const outcome = failedOutcomeOf(error, item);
			this.fail(itemIndex, error, outcome);
			return outcome;
		}
	}

	/** Fails an item that was not sent, unless it has a result from an earlier try, which stands. */
	private failUnsent(itemIndex: number, error: unknown): void {
		if (!this.results[itemIndex]) this.fail(itemIndex, error, 'refused');
	}

	private fail(itemIndex: number, error: unknown, outcome: FailedOutcome): void {
		this.results[itemIndex] = { outcome, error };
		if (this.parts.continues) return;
		this.hasFailed = true;
		this.parts.onAbandoned();
	}

	/** Whether the run is over: an item failed and so ended it, or it was canceled. */
	private get isOver(): boolean {
		return this.hasFailed || this.signal?.aborted === true;
	}
}

/** The outcome of an item that failed: mostly at a request, or at a parameter before anything was sent. */
function failedOutcomeOf(error: unknown, { client }: Item): FailedOutcome {
	if (error instanceof RequestFailure) return error.outcome;
	return client.hasSent ? 'unknown' : 'refused';
}

/** The failure of items that were not sent because n8n's store failed. */
function storeFailure(error: unknown): unknown {
	if (error instanceof Problem) return error;
	return new Problem(
		'n8n could not note that this item is sent, so it was not sent',
		`Run the workflow again later. If the item comes out as uncertain then, turn on "Resend Unconfirmed" for one run. (${String(error)})`,
	);
}
