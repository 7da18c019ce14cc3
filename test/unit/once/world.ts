/** A service, n8n's store without locks, and the processes that use both. */
import type { ICheckProcessedOptions, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Outcome, RequestFailure } from '../../../nodes/MessagingService/api/request';
import {
	type KeyOutcome,
	SharedKeys,
	type WriteKey,
} from '../../../nodes/MessagingService/once/claims';
import { Ledger } from '../../../nodes/MessagingService/once/ledger';
import type { SendAgain } from '../../../nodes/MessagingService/operations/operation';
import { failureOf } from '../helpers/api';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';
import { ProcessedStore } from './processedStore';

/** One run of the node in a process. */
export interface RunPlan {
	/** Milliseconds until it begins. */
	begins: number;
	calls: CallPlan[];
}

/** A call of a run. */
interface CallPlan {
	key: string;
	/** Milliseconds until it is made. */
	at: number;
	/** In a retry, it has a second key. */
	inRetry?: boolean;
	sendAgain?: SendAgain;
}

/** Calls that are made at the same moment. */
export function atOnce(...keys: string[]): CallPlan[] {
	return keys.map((key) => ({ key, at: 0 }));
}

/** A process of n8n, which knows nothing of the others. */
export interface ProcessPlan {
	runs: RunPlan[];
	/** When it dies, if it does. */
	diesAt?: number;
}

export interface Plan {
	processes: ProcessPlan[];
	/** What the service makes of the requests, in turn. */
	answers: Outcome[];
	/** Milliseconds that things take, in turn: to read a row, to write it back, to answer a request. */
	times: number[];
	/** Calls of the store that fail, before they write or after it. */
	faults?: Record<number, 'before' | 'after'>;
}

/** What a run was told of an item. */
export interface Told {
	key: string;
	outcome: KeyOutcome;
}

/** All that outlives the processes. */
export class World {
	readonly clock = new VirtualClock();
	readonly store = new ProcessedStore();
	/** How often the service has accepted each key. */
	readonly accepted = new Map<string, number>();
	/** Keys of which a request was sent without an answer. */
	readonly unanswered = new Set<string>();
	readonly told: Told[] = [];
	private readonly plan: Omit<Plan, 'processes'>;
	private drawn = 0;
	private requests = 0;
	private calls = 0;
	private executions = 0;

	constructor(plan: Omit<Plan, 'processes'>) {
		this.plan = plan;
	}

	/** Runs processes side by side until all have ended or died. */
	async run(processes: ProcessPlan[]): Promise<void> {
		await this.clock.run(Promise.all(processes.map(async (plan) => await this.runProcess(plan))));
	}

	/** What a run that comes later, alone, is told of keys that it does not send. */
	async inspect(keys: string[]): Promise<Map<string, KeyOutcome>> {
		const copy = new World({ answers: ['refused'], times: [0] });
		copy.store.overwrite(this.store);
		await copy.run([{ runs: [{ begins: 0, calls: atOnce(...keys) }] }]);
		return new Map(copy.told.map(({ key, outcome }) => [key, outcome]));
	}

	private async runProcess({ runs, diesAt }: ProcessPlan): Promise<void> {
		// What a process knows ends with it.
		const keys = new SharedKeys();
		let isDead = false;
		const life = async () => {
			if (isDead) await new Promise<never>(() => {});
		};
		const work = Promise.all(runs.map(async (plan) => await this.runOnce(keys, plan, life)));
		if (diesAt === undefined) return void (await work);
		let isOver = false;
		const death = this.clock.wait(diesAt).then(() => {
			isDead = !isOver;
		});
		await Promise.race([work.then(() => (isOver = true)), death]);
	}

	/** Does what a run of the node does: makes its calls one by one, and waits for all of them. */
	private async runOnce(
		keys: SharedKeys,
		{ begins, calls }: RunPlan,
		life: () => Promise<void>,
	): Promise<void> {
		await this.clock.wait(begins);
		const { signal } = new AbortController();
		const executionId = String(this.executions++);
		const context = fake<IExecuteFunctions>({
			getWorkflow: () => ({ id: 'workflow' }),
			getNode: () => ({ id: 'node' }),
			getExecutionId: () => executionId,
			logger: { warn: () => {} },
			helpers: this.lossyStore(life),
		});
		const ledger = new Ledger(context, signal, { clock: this.clock, keys });
		const make = async (call: CallPlan) => {
			const { key, at, inRetry = false, sendAgain = 'nothing' } = call;
			await this.clock.wait(at);
			await life();
			const send = async () => await this.request(key, life);
			const own = { key, sendAgain };
			const ofRetry: WriteKey = {
				key: `retry of ${key}`,
				sendAgain: sendAgain === 'everybody' ? 'nothing' : sendAgain,
			};
			const outcome = await ledger
				.once(inRetry ? [ofRetry, own] : [own], send)
				.then((result) => (typeof result === 'string' ? result : 'accepted'), outcomeOf);
			await life();
			if (outcome) this.told.push({ key, outcome });
		};
		await Promise.all(calls.map(make));
		await ledger.finish();
	}

	/** @throws {RequestFailure} when the service does not accept it. */
	private async request(key: string, life: () => Promise<void>): Promise<IDataObject> {
		await life();
		const { answers } = this.plan;
		const answer = answers[this.requests++ % answers.length] ?? 'accepted';
		this.unanswered.add(key);
		if (answer !== 'refused') this.accepted.set(key, (this.accepted.get(key) ?? 0) + 1);
		await this.clock.wait(this.time());
		await life();
		if (answer !== 'unknown') this.unanswered.delete(key);
		if (answer === 'accepted') return {};
		throw failureOf(answer);
	}

	/** Each call reads the row and writes it back later, so that what is written in between is lost. */
	private lossyStore(life: () => Promise<void>) {
		const change = async <Result>(
			scope: string,
			make: (row: ProcessedStore) => Promise<Result>,
		): Promise<Result> => {
			const fault = this.plan.faults?.[this.calls++];
			await life();
			await this.clock.wait(this.time());
			await life();
			const copy = this.store.copy();
			await this.clock.wait(this.time());
			await life();
			if (fault === 'before') throw new Error('The database is locked');
			const result = await make(copy);
			this.store.overwrite(copy, [scope]);
			if (fault === 'after') throw new Error('The connection is lost');
			return result;
		};
		return {
			checkProcessedAndRecord: async (
				marks: string[],
				scope: string,
				options: ICheckProcessedOptions,
			) =>
				await change(
					scope,
					async (row) => await row.checkProcessedAndRecord(marks, scope, {}, options),
				),
			removeProcessed: async (marks: string[], scope: string, options: ICheckProcessedOptions) =>
				await change(scope, async (row) => await row.removeProcessed(marks, scope, {}, options)),
		};
	}

	private time(): number {
		const { times } = this.plan;
		return times[this.drawn++ % times.length] ?? 0;
	}
}

/** What became of a call that failed; undefined when it was not made, since the store failed. */
function outcomeOf(error: unknown): KeyOutcome | undefined {
	return error instanceof RequestFailure ? error.outcome : undefined;
}
