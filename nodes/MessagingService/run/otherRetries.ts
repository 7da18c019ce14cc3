import type { IExecuteFunctions } from 'n8n-workflow';
import { Batching } from '../memory/batching';
import { ProcessedMarks } from '../memory/processed';
import type { Output } from '../resources/operation';
import { isInDoubt, isOpen, type Result } from './journal';

type State = 'untouched' | 'done' | 'inDoubt';

/** An item that was begun, and what other retries made of it before. */
interface Begun {
	name: string;
	state: State;
}

interface Turn {
	name: string;
	step: 'begin' | 'done' | 'release';
	resolve(before: State): void;
	reject(error: unknown): void;
}

/** The bound of the keys that are sent once, which are in the same record. */
const MOST_MARKS = 5_000_000;

const begun = (name: string) => `retry:${name}:begun`;
const open = (name: string) => `retry:${name}:open`;

/**
 * What the retries of one failed execution made of its items. n8n hands each retry what the failed execution left, so
 * a second retry of the same one has to learn of the first in another place.
 *
 * That is n8n's store for processed data. An item gets two marks before a retry sends it: `begun`, which stays, and
 * `open` until its outcome is known. Only retries write them.
 */
export class OtherRetries {
	private readonly context: IExecuteFunctions;
	private readonly marks: ProcessedMarks;
	private readonly execution: string;
	private readonly turns = new Batching<Turn>(async (turns) => await this.handleTogether(turns));

	private constructor(context: IExecuteFunctions, execution: string) {
		this.context = context;
		this.marks = new ProcessedMarks(context);
		this.execution = execution;
	}

	/** Those of the execution that this one retries; undefined when this is no retry. */
	static of(context: IExecuteFunctions): OtherRetries | undefined {
		if (context.getMode() !== 'retry') return undefined;
		// The moment when the first execution began stays with all its retries, and with the retries of those.
		const { establishedAt } = context.getExecutionContext?.() ?? {};
		return establishedAt === undefined
			? undefined
			: new OtherRetries(context, String(establishedAt));
	}

	/** Begins an item, and tells what became of it before. */
	async begin(item: string): Promise<Begun> {
		const name = `${this.execution}:${item}`;
		return { name, state: await this.take('begin', name) };
	}

	/**
	 * Handles an item that was begun, and notes what became of it: it is done, or certainly not, and may be begun again.
	 * What is in doubt stays as it is.
	 */
	async handle({ name, state }: Begun, execute: () => Promise<Output>): Promise<Output> {
		const result = await execute().then(
			(output): Result => ({ output }),
			(error: unknown): Result => ({ error }),
		);
		if ('output' in result && !isOpen(result.output)) await this.note('done', name);
		// What another retry left in doubt is so still, although this call had no effect.
		else if (state === 'untouched' && !isInDoubt(result)) await this.note('release', name);
		if ('error' in result) throw result.error;
		return result.output;
	}

	/** Without its note, an item counts as in doubt, which is no reason to fail it. */
	private async note(step: 'done' | 'release', name: string): Promise<void> {
		await this.take(step, name).catch((error: unknown) => {
			this.context.logger.warn('What a retry did could not be stored', { error });
		});
	}

	private async take(step: Turn['step'], name: string): Promise<State> {
		return await new Promise<State>((resolve, reject) => {
			this.turns.add({ name, step, resolve, reject });
			void this.turns.work();
		});
	}

	private async handleTogether(turns: Turn[]): Promise<void> {
		try {
			const before = await this.change(turns);
			for (const { name, resolve } of turns) resolve(before(name));
		} catch (error) {
			for (const { reject } of turns) reject(error);
		}
	}

	private async change(turns: readonly Turn[]): Promise<(name: string) => State> {
		const namesOf = (step: Turn['step']) =>
			turns.filter((turn) => turn.step === step).map(({ name }) => name);
		const released = namesOf('release');
		await this.marks.unset([...namesOf('done'), ...released].map(open).concat(released.map(begun)));
		const names = namesOf('begin');
		const before = await this.marks.set(
			names.flatMap((name) => [begun(name), open(name)]),
			MOST_MARKS,
		);
		const state = (name: string) => {
			if (before.has(open(name))) return 'inDoubt';
			return before.has(begun(name)) ? 'done' : 'untouched';
		};
		// Looking has opened them.
		await this.marks.unset(names.filter((name) => state(name) === 'done').map(open));
		return state;
	}
}
