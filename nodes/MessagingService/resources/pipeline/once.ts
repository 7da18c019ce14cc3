import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Parameters } from '../../panel/parameters';
import { type KeyState, OnceKeys } from '../../memory/onceKeys';
import { ProcessedMarks } from '../../memory/processed';
import { mayHaveBeenAccepted } from '../../api/requestFailure';

const WORDS = {
	label: 'Once per Key',
	advice:
		'Each item needs a value of its own, such as the ID of the lead, or it could be sent twice.',
};

type Outcome = 'accepted' | 'free' | 'uncertain';

type Attempt = { outcome: Outcome; json: IDataObject } | { outcome: Outcome; error: unknown };

/** Sends each key once, over all runs of a node. */
export class Once {
	private readonly context: IExecuteFunctions;
	/** Whether the option is used: that holds for the whole node, only its value differs by item. */
	private readonly isAskedFor: boolean;
	private readonly attempts = new Map<string, Promise<Attempt>>();
	private keys?: OnceKeys;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		const { options } = context.getNode().parameters;
		this.isAskedFor = typeof options === 'object' && options !== null && 'onceKey' in options;
	}

	/**
	 * Sends an item, unless its key was sent before: then it comes out as `skipped`, or as `uncertain` when
	 * nobody knows what became of it. Without the option, every item is sent.
	 */
	async send(parameters: Parameters, send: () => Promise<IDataObject>): Promise<IDataObject> {
		if (!this.isAskedFor) return await send();
		const key = parameters.requiredText('options.onceKey', WORDS);
		const resend = parameters.boolean('options.resendUncertain', { label: 'Resend Uncertain' });
		// Items of this run with the same key take turns.
		for (let earlier = this.attempts.get(key); earlier; earlier = this.attempts.get(key)) {
			const { outcome } = await earlier;
			if (outcome === 'accepted') return { skipped: true };
			if (outcome === 'uncertain') return { uncertain: true };
			if (this.attempts.get(key) === earlier) break;
		}
		const attempt = this.attempt(key, resend ?? false, send);
		this.attempts.set(key, attempt);
		const result = await attempt;
		if ('error' in result) throw result.error;
		return result.json;
	}

	/** To be called when all items are handled. */
	async finish(): Promise<void> {
		if (this.keys) await this.note(this.keys.confirm());
	}

	private async attempt(
		key: string,
		resend: boolean,
		send: () => Promise<IDataObject>,
	): Promise<Attempt> {
		let state: KeyState | undefined;
		try {
			this.keys ??= new OnceKeys(new ProcessedMarks(this.context), this.readAllKeys());
			state = await this.keys.begin(key);
			if (state === 'accepted') return { outcome: 'accepted', json: { skipped: true } };
			if (state === 'uncertain' && !resend) {
				return { outcome: 'uncertain', json: { uncertain: true } };
			}
			const json = await send();
			await this.note(this.keys.accept(key));
			return { outcome: 'accepted', json };
		} catch (error) {
			// What an earlier run left uncertain stays so, whatever became of this request.
			if (state === 'uncertain' || mayHaveBeenAccepted(error))
				return { outcome: 'uncertain', error };
			if (state === 'fresh') await this.note(this.keys?.release(key));
			return { outcome: 'free', error };
		}
	}

	/** Without a note in the store, a key counts as uncertain, which is no reason to fail the item. */
	private async note(settled: Promise<void> | undefined): Promise<void> {
		await settled?.catch((error: unknown) => {
			this.context.logger.warn('The outcome of webhook calls could not be stored', { error });
		});
	}

	private readAllKeys(): string[] {
		return this.context.getInputData().flatMap((_, itemIndex) => {
			const key = this.readKey(itemIndex);
			return typeof key === 'string' || typeof key === 'number' ? [String(key).trim()] : [];
		});
	}

	/** An expression that cannot be evaluated fails its own item, when that one is sent. */
	private readKey(itemIndex: number): unknown {
		try {
			return new Parameters(this.context, itemIndex).raw('options.onceKey');
		} catch {
			return undefined;
		}
	}
}
