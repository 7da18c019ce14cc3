import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { mayHaveBeenAccepted } from '../api/requestFailure';
import type { Output } from '../resources/operation';

const attempts = new WeakMap<INodeExecutionData, Map<string, Promise<Output>>>();

/**
 * What earlier tries of the same run of a node did. With "Retry On Fail", n8n runs a node again for all of
 * its items, those included that were accepted; it hands over the very same items, so they can be told.
 */
export class EarlierTries {
	private readonly run: string | undefined;

	constructor(context: IExecuteFunctions) {
		const { id, retryOnFail } = context.getNode();
		this.run = retryOnFail ? `${id}:${context.getWorkflowDataProxy(0).$runIndex}` : undefined;
	}

	/**
	 * Gives what an earlier try made of the item, or else does it now. Only what certainly had no effect
	 * is done again.
	 */
	async orNow(item: INodeExecutionData, now: () => Promise<Output>): Promise<Output> {
		const { run } = this;
		if (run === undefined) return await now();
		const runs = attempts.get(item) ?? new Map<string, Promise<Output>>();
		attempts.set(item, runs);
		const earlier = runs.get(run);
		if (earlier) return await earlier;
		const attempt = now();
		runs.set(run, attempt);
		attempt.catch((error: unknown) => {
			if (!mayHaveBeenAccepted(error)) runs.delete(run);
		});
		return await attempt;
	}
}
