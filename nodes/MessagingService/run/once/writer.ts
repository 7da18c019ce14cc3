import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Run, Write } from '../../resources/operation';
import type { Journal } from '../journal';
import { UnknownOutcome } from '../outcome';
import { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
/** Goes on after "The earlier try failed with: ". */
const LEFT_BY_OTHER_RETRY = 'another retry of this execution left the outcome of this item unknown';

/**
 * Makes the writes of a run, none of them twice. The journal knows what earlier tries of this execution did. The ledger
 * knows by key what was sent: with "Send Once" in any run of the node, and in a retry by other retries of the execution.
 */
export class Writer {
	private readonly context: IExecuteFunctions;
	private readonly journal: Journal;
	private readonly notices: Run['notices'];
	private readonly signal: AbortSignal;
	private ledger?: Ledger;

	constructor(
		context: IExecuteFunctions,
		journal: Journal,
		notices: Run['notices'],
		signal: AbortSignal,
	) {
		this.context = context;
		this.journal = journal;
		this.notices = notices;
		this.signal = signal;
	}

	/** See `Run.once`. */
	async once(write: Write, send: () => Promise<IDataObject>): Promise<IDataObject> {
		const entryId = this.journal.entryIdOf(write.subject);
		const earlier = this.journal.recall(entryId, write);
		if (earlier) return earlier;
		const sendNoted = async () => await this.journal.sendNoted(entryId, send);
		const keys = this.journal.keysOf(entryId, write);
		if (keys.length === 0) return await sendNoted();
		this.ledger ??= new Ledger(this.context, this.signal);
		const result = await this.ledger.once({ keys, send: sendNoted });
		if (typeof result !== 'string') return result;
		if (write.key === undefined) {
			// The operation knows nothing of other retries, so it does not say why.
			if (result === 'uncertain') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
			this.notices.add(DONE_BY_OTHER_RETRY, 'info');
		}
		return { outcome: result };
	}

	/** Waits until nothing is under way any more in n8n's store. Never rejects. */
	async finish(): Promise<void> {
		await this.ledger?.finish();
	}
}
