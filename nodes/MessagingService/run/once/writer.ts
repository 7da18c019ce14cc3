import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Run, Write } from '../../resources/operation';
import { type Journal, UnknownOutcome } from '../journal';
import type { WriteKey, Unsent } from './claims';
import { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
/** Each goes on after "The earlier try failed with: ". */
const CUT_OFF = 'the execution was stopped, or n8n ended during it, so nothing tells what was sent';
const LEFT_BY_OTHER_RETRY = 'another retry of this execution left its outcome unknown';

type Send = () => Promise<IDataObject>;

/**
 * Makes the writes of a run, none of them twice. The journal knows what earlier tries of this execution did. The ledger
 * knows by key what was sent: with "Send Once" in any run of the node, and in a retry by other retries of the execution,
 * by the names that the journal gives.
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
	async write(write: Write, send: Send): Promise<IDataObject> {
		const { journal } = this;
		const name = journal.nameOf(write.about);
		const earlier = journal.recall(name);
		if (earlier?.outcome === 'accepted') return earlier.output;
		const { key, resend = false } = write;
		if (earlier && !(resend && journal.mayResend)) throw new UnknownOutcome(earlier.reason);
		if (journal.wasCutOff && key === undefined && !resend) {
			journal.noteUnknown(name, CUT_OFF);
			throw new UnknownOutcome(CUT_OFF);
		}
		const sendNoted = async () => await journal.sendNoted(name, send);
		const keys = this.keysOf(name, write);
		if (keys.length === 0) return await sendNoted();
		this.ledger ??= new Ledger(this.context, this.signal);
		const result = await this.ledger.writeOnce({ keys, send: sendNoted });
		if (typeof result !== 'string') return result;
		if (key === undefined) this.sayWhy(result);
		return { outcome: result };
	}

	/** Waits until nothing is under way any more in n8n's store. Never rejects. */
	async finish(): Promise<void> {
		await this.ledger?.finish();
	}

	/** What a write is known by. */
	private keysOf(
		name: string,
		{ key, resetHistory = false, resend = false }: Write,
	): readonly WriteKey[] {
		const { isRetry, mayResetHistory } = this.journal;
		const keys: WriteKey[] = [];
		// Another retry of the execution may have sent it, whatever "Send Once" was set to.
		if (isRetry) keys.push({ key: this.journal.retryKeyOf(name), resetHistory: false, resend });
		if (key !== undefined)
			keys.push({ key, resetHistory: resetHistory && mayResetHistory, resend });
		return keys;
	}

	/** Says why a write without a key of the user's was not sent: with a notice, or an error. */
	private sayWhy(unsent: Unsent): void {
		if (unsent === 'uncertain') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
		this.notices.add(DONE_BY_OTHER_RETRY, 'info');
	}
}
