import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type Outcome, RequestFailure } from '../../api/request';
import type { Run, Unsent, Write } from '../../resources/operation';
import { type Journal, UnknownOutcome } from '../journal';
import type { KeyedCall } from './keyedCall';
import { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
const LEFT_BY_OTHER_RETRY = 'Another retry of this execution left it unknown, or has not ended';

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
	async make(write: Write, send: Send): Promise<IDataObject | Unsent> {
		const { journal } = this;
		const name = journal.nameOf(write.about);
		const earlier = journal.recall(name);
		if (earlier?.outcome === 'accepted') return earlier.output;
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isResent = write.resend === true && journal.isOfEarlierExecution;
		if (earlier && !isResent) throw new UnknownOutcome(earlier.reason);
		const sendByKey = async () => await this.sendByKey(name, write, send);
		return journal.isRetry ? await this.sendInRetry(name, write, sendByKey) : await sendByKey();
	}

	/** Waits until nothing is under way any more in n8n's store. Never rejects. */
	async settled(): Promise<void> {
		await this.byRetry?.settled();
		await this.byKey?.settled();
	}

	/** Sends nothing that another retry of the execution has sent, whatever it knew a write by. */
	private async sendInRetry(
		name: string,
		{ key, resend = false }: Write,
		send: () => Promise<IDataObject | Unsent>,
	): Promise<IDataObject | Unsent> {
		this.byRetry ??= this.openLedger();
		const call = { key: this.journal.retryKeyOf(name), forget: false, resend };
		const { result, isSent } = await sendBy(this.byRetry, call, send);
		if (isSent || key !== undefined) return result;
		if (result === 'uncertain') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
		this.notices.add(DONE_BY_OTHER_RETRY, 'info');
		return result;
	}

	private async sendByKey(
		name: string,
		{ key, forget = false, resend = false }: Write,
		send: Send,
	): Promise<IDataObject | Unsent> {
		const sendNoted = async () => await this.journal.note(name, send);
		if (key === undefined) return await sendNoted();
		this.byKey ??= this.openLedger();
		// A retry sends again only what this execution has not sent, as far as it has left a journal that tells.
		const mayForget = !this.journal.isRetry || this.journal.hasEarlier;
		const call = { key, forget: forget && mayForget, resend };
		return (await sendBy(this.byKey, call, sendNoted)).result;
	}
}

type Send = () => Promise<IDataObject>;

/** Sends by a key of a ledger. The result is what `send` gives, or why it was not called. */
async function sendBy(
	ledger: Ledger,
	call: Omit<KeyedCall, 'send'>,
	send: () => Promise<IDataObject | Unsent>,
): Promise<{ result: IDataObject | Unsent; isSent: boolean }> {
	let sending: ReturnType<typeof send> | undefined;
	const outcome = await ledger.once({
		...call,
		send: async () => await (sending = send()).then(outcomeOfResult, outcomeOfFailure),
	});
	// Once it was called, this resolves or rejects at once.
	if (sending) return { result: await sending, isSent: true };
	return { result: outcome === 'skipped' ? outcome : 'uncertain', isSent: false };
}

/** What was found to be uncertain may be sent later. */
function outcomeOfResult(result: IDataObject | Unsent): Outcome {
	return result === 'uncertain' ? 'refused' : 'accepted';
}

function outcomeOfFailure(error: unknown): Outcome {
	return error instanceof RequestFailure ? error.outcome : 'unknown';
}
