import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedOptions,
	IExecuteFunctions,
} from 'n8n-workflow';
import type { Clock } from '../../../nodes/MessagingService/api/clock';
import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { type KeyState, OnceKeys } from '../../../nodes/MessagingService/memory/onceKeys';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';
import { ProcessedStore } from './processedStore';

export type Outcome = 'accepted' | 'failed' | 'uncertain';

/** What happens to one call of the store, counted from 0. */
export interface StoreFault {
	call: number;
	kind: 'dies' | 'fails';
	/** Whether the store had made the change by then. */
	changed: boolean;
}

/** One process: one or more executions of the same node side by side, and how it all goes. */
export interface Plan {
	keys: string[];
	width: number;
	executions: number;
	resend: boolean;
	/** Whether keys are sent whatever became of them in earlier runs. */
	forget?: boolean;
	/** What becomes of the requests, in turn. */
	outcomes: Outcome[];
	/** Milliseconds that each step takes, in turn. */
	latencies: number[];
	/** Moment at which the process dies, if it still runs then. */
	diesAt?: number;
	storeFault?: StoreFault;
}

/** Waits for nothing. */
const IMPATIENT: Clock = { now: () => 0, wait: async () => {} };

class StoreFailure extends Error {}

/**
 * The store and the service, which outlive all processes, and what is true of each key. Whatever a process is
 * told, and what it leaves in the store, has to fit that.
 */
export class World {
	readonly store = new ProcessedStore();
	readonly clock = new VirtualClock();
	readonly accepted = new Set<string>();
	/** Keys whose request was sent and did not certainly fail. */
	readonly mayHaveArrived = new Set<string>();
	/** Keys whose request ended in doubt. */
	readonly unknown = new Set<string>();
	/** Keys that the store has as uncertain. */
	uncertain = new Set<string>();

	private readonly seen = new Set<string>();

	/** Runs a process to its end, or to its death. */
	async run(plan: Plan): Promise<Process> {
		for (const key of plan.keys) this.seen.add(key);
		const process = new Process(this, plan);
		await this.clock.run(process.run());
		const found = await this.inspect();
		const uncertain = [...found.keys()].filter((key) => found.get(key) === 'uncertain');
		for (const [key, state] of found) {
			const isUncertain = this.uncertain.has(key) || this.unknown.has(key);
			this.check(key, state, isUncertain || process.mayHaveLeft(key));
			if (state === 'fresh') expect(this.mayHaveArrived).not.toContain(key);
		}
		process.leftUncertain = uncertain.filter(
			(key) => !this.uncertain.has(key) && !this.unknown.has(key),
		);
		this.uncertain = new Set(uncertain);
		return process;
	}

	/** Checks what is said of a key. That nobody knows is always safe, but has to have a reason. */
	check(key: string, state: KeyState, mayBeUncertain: boolean): void {
		const fits = { fresh: true, accepted: this.accepted.has(key), uncertain: mayBeUncertain };
		if (!fits[state]) throw new Error(`${key} is said to be ${state}`);
	}

	/** Takes a key for one that was never sent. */
	forget(key: string): void {
		for (const keys of [this.accepted, this.mayHaveArrived, this.unknown, this.uncertain]) {
			keys.delete(key);
		}
	}

	/** What a process that begins now would be told of each key. It changes nothing. */
	private async inspect(): Promise<Map<string, KeyState>> {
		const context = contextWith(this.store.copy(), `inspection-${processes++}`);
		const keys = new OnceKeys(context, Infinity, undefined, IMPATIENT);
		const states = new Map<string, KeyState>();
		for (const key of this.seen) states.set(key, await keys.begin(key));
		return states;
	}
}

let processes = 0;

/** A process that may die: then nothing of it goes on. */
class Process {
	/** What was told of the keys. */
	readonly states = new Map<string, KeyState>();
	readonly sent: string[] = [];
	died = false;
	/** Whether it has looked at keys ahead of their turn. */
	hasLookedAhead = false;
	/** Keys that came to be uncertain in this process, and not by the outcome of a request. */
	leftUncertain: string[] = [];

	private readonly world: World;
	private readonly plan: Plan;
	private readonly context: IExecuteFunctions;
	private readonly death: Promise<void>;
	private die: () => void = () => {};
	private failed = false;
	private storeCalls = 0;
	private steps = 0;
	private requests = 0;
	/** Keys that are begun and not settled, as often as they are. */
	private readonly open: string[] = [];

	constructor(world: World, plan: Plan) {
		this.world = world;
		this.plan = plan;
		// What a process knows ends with it; here the workflow's ID keeps them apart.
		this.context = contextWith(this.mortalStore(), `process-${processes++}`);
		this.death = new Promise((resolve) => {
			this.die = () => {
				this.died = true;
				resolve();
			};
		});
	}

	/** Whether it was interrupted and has looked at keys ahead of their turn, so that any key may be uncertain. */
	private get mayHaveLostTrack(): boolean {
		return (this.died || this.failed) && this.hasLookedAhead;
	}

	/** Whether it may leave a key uncertain. */
	mayHaveLeft(key: string): boolean {
		const isUnsettled = this.died && this.sent.includes(key);
		return this.open.includes(key) || isUnsettled || this.mayHaveLostTrack;
	}

	async run(): Promise<void> {
		const { diesAt, executions } = this.plan;
		let isOver = false;
		if (diesAt !== undefined) {
			void this.world.clock.wait(diesAt).then(() => (isOver ? undefined : this.die()));
		}
		const work = Promise.all(Array.from({ length: executions }, async () => await this.execute()));
		await Promise.race([work, this.death]);
		isOver = true;
	}

	private async execute(): Promise<void> {
		const keys = [...new Set(this.plan.keys)];
		let next = 0;
		const ahead = async (count: number) => {
			this.hasLookedAhead = true;
			const first = next;
			next += count;
			return keys.slice(first, next);
		};
		const once = new OnceKeys(this.context, this.plan.width, ahead, this.world.clock);
		await forEachConcurrently(
			keys.length,
			() => this.plan.width,
			async (index) => {
				next = Math.max(next, index + 1);
				await orFailure(this.handle(once, keys[index]));
				return true;
			},
		);
		await orFailure(once.finish());
	}

	/** What a caller does with a key. It stays open when the store fails, or the process dies. */
	private async handle(once: OnceKeys, key: string): Promise<void> {
		const { world, plan } = this;
		this.open.push(key);
		const state = await once.begin(key, { resend: plan.resend, forget: plan.forget });
		if (plan.forget) {
			expect(state).toBe('fresh');
			world.forget(key);
		}
		const mayBeUncertain =
			world.uncertain.has(key) || world.unknown.has(key) || this.mayHaveLostTrack;
		world.check(key, state, mayBeUncertain);
		this.states.set(key, state);
		if (state === 'accepted') world.uncertain.delete(key);
		if (state !== 'fresh') return this.close(key);
		const isResent = plan.resend && mayBeUncertain;
		if (world.mayHaveArrived.has(key) && !isResent) throw new Error(`${key} was sent twice`);
		world.uncertain.delete(key);
		const hadArrived = world.mayHaveArrived.has(key);
		world.mayHaveArrived.add(key);
		this.sent.push(key);
		await this.step();
		const outcome = plan.outcomes[this.requests++ % plan.outcomes.length];
		if (outcome === 'uncertain') {
			world.unknown.add(key);
			return once.leave(key);
		}
		if (outcome === 'accepted') {
			world.unknown.delete(key);
			world.accepted.add(key);
			await once.accept(key);
		} else {
			// What was uncertain before stays so, unless it is accepted now.
			if (isResent) world.unknown.add(key);
			if (!hadArrived) world.mayHaveArrived.delete(key);
			await once.release(key);
		}
		this.close(key);
	}

	private close(key: string): void {
		this.open.splice(this.open.indexOf(key), 1);
	}

	private mortalStore(): Pick<ProcessedStore, 'checkProcessedAndRecord' | 'removeProcessed'> {
		const { store } = this.world;
		return {
			checkProcessedAndRecord: async (...call) =>
				await this.callStore(async () => await store.checkProcessedAndRecord(...call)),
			removeProcessed: async (...call) =>
				await this.callStore(async () => await store.removeProcessed(...call)),
		};
	}

	private async callStore<Result>(change: () => Promise<Result>): Promise<Result> {
		const { storeFault } = this.plan;
		const fault = storeFault?.call === this.storeCalls++ ? storeFault : undefined;
		await this.step();
		if (fault && !fault.changed) await this.strike(fault);
		const result = await change();
		if (fault?.changed) await this.strike(fault);
		await this.step();
		return result;
	}

	private async strike({ kind }: StoreFault): Promise<void> {
		if (kind === 'fails') {
			this.failed = true;
			throw new StoreFailure();
		}
		this.die();
		await this.unlessDead();
	}

	private async step(): Promise<void> {
		const { latencies } = this.plan;
		await this.world.clock.wait(latencies[this.steps++ % latencies.length]);
		await this.unlessDead();
	}

	private async unlessDead(): Promise<void> {
		if (this.died) await new Promise<never>(() => {});
	}
}

/** The context of a node whose store is this one. */
export function contextWith(
	store: Pick<ProcessedStore, 'checkProcessedAndRecord' | 'removeProcessed'>,
	workflowId = 'workflow',
	more: { [Key in keyof IExecuteFunctions]?: unknown } = {},
): IExecuteFunctions {
	const helpers = {
		checkProcessedAndRecord: async (
			items: DeduplicationItemTypes[],
			scope: DeduplicationScope,
			options: ICheckProcessedOptions,
		) => await store.checkProcessedAndRecord(items, scope, {}, options),
		removeProcessed: async (
			items: DeduplicationItemTypes[],
			scope: DeduplicationScope,
			options: ICheckProcessedOptions,
		) => await store.removeProcessed(items, scope, {}, options),
	};
	return fake<IExecuteFunctions>({
		getWorkflow: () => ({ id: workflowId }),
		getNode: () => ({ id: 'node' }),
		helpers,
		...more,
	});
}

/** Waits for work that may end because the store failed. */
async function orFailure(work: Promise<void>): Promise<void> {
	try {
		await work;
	} catch (error) {
		if (!(error instanceof StoreFailure)) throw error;
	}
}
