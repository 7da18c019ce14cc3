import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import type { Run, Write } from '../../resources/operation';
import { type Journal, UnknownOutcome } from '../journal';
import type { Unsent } from './claims';
import { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
const LEFT_BY_OTHER_RETRY = 'Another retry of this execution left it unknown, or has not ended';

type Send = () => Promise<IDataObject>;

/**
 * Makes the writes of a run, none of them twice. The journal knows what earlier tries of this execution did. One ledger
 * knows what was sent by key, in any run of the node; another what other retries of the same execution have sent, by the
 * names that the journal gives.
 */
export class Once {
	private readonly journal: Journal;
	private readonly notices: Run['notices'];
	private readonly openLedger: () => Ledger;
	private byKey?: Ledger;
	private byRetry?: Ledger;

	constructor(
		context: IExecuteFunctions,
		journal: Journal,
		notices: Run['notices'],
		signal: AbortSignal,
	) {
		this.journal = journal;
		this.notices = notices;
		this.openLedger = () => new Ledger(context, signal);
	}

	/** See `Run.once`. */
	async write(write: Write, send: Send): Promise<IDataObject> {
		const { journal } = this;
		const name = journal.nameOf(write.about);
		const earlier = journal.recall(name);
		if (earlier?.outcome === 'accepted') return earlier.output;
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isResent = write.resend === true && journal.isOfEarlierExecution;
		if (earlier && !isResent) throw new UnknownOutcome(earlier.reason);
		const sendByKey = async () => await this.sendByKey(name, write, send);
		const result = await (journal.isRetry ? this.sendInRetry(name, write, sendByKey) : sendByKey());
		return typeof result === 'string' ? { outcome: result } : result;
	}

	/** Waits until nothing is under way any more in n8n's store. Never rejects. */
	async finish(): Promise<void> {
		await this.byRetry?.finish();
		await this.byKey?.finish();
	}

	/** Sends nothing that another retry of the execution has sent, whatever it knew a write by. */
	private async sendInRetry(
		name: string,
		{ key, resend = false }: Write,
		send: () => Promise<IDataObject | Unsent>,
	): Promise<IDataObject | Unsent> {
		this.byRetry ??= this.openLedger();
		const result = await this.byRetry.callOnce({
			key: this.journal.retryKeyOf(name),
			resetHistory: false,
			resend,
			send,
		});
		if (key !== undefined) return result;
		if (result === 'uncertain') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
		if (result === 'skipped') this.notices.add(DONE_BY_OTHER_RETRY, 'info');
		return result;
	}

	private async sendByKey(
		name: string,
		{ key, resetHistory = false, resend = false }: Write,
		send: Send,
	): Promise<IDataObject | Unsent> {
		const sendNoted = async () => await this.journal.note(name, send);
		if (key === undefined) return await sendNoted();
		this.byKey ??= this.openLedger();
		// A retry sends again only what this execution has not sent, as far as it has left a journal that tells.
		const mayReset = !this.journal.isRetry || this.journal.hasEarlier;
		return await this.byKey.callOnce({
			key,
			resetHistory: resetHistory && mayReset,
			resend,
			send: sendNoted,
		});
	}
}
