import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { type Outcome, RequestFailure } from '../../api/request';
import type { Run, Unsent, Write } from '../../resources/operation';
import { type Journal, UnknownOutcome } from '../journal';
import { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
const LEFT_BY_OTHER_RETRY = 'Another retry of this execution left it unknown, or has not ended';

/**
 * Makes the writes of a run, none of them twice. The journal knows what earlier tries of this execution did; the ledger
 * what was sent by key: in any run of the node, or in other retries of the same execution.
 */
export class Once {
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
	async make(write: Write, send: () => Promise<IDataObject>): Promise<IDataObject | Unsent> {
		const { journal } = this;
		const name = journal.nameOf(write.about);
		const earlier = journal.recall(name);
		if (earlier?.outcome === 'accepted') return earlier.output;
		// Whoever retries the execution has looked at the service. Between the tries of Retry On Fail, nobody has.
		const isResent = write.resend === true && journal.isOfEarlierExecution;
		if (earlier && !isResent) throw new UnknownOutcome(earlier.reason);
		const sendNoted = async () => await journal.note(name, send);
		if (write.key !== undefined) return await this.sendByKey(write.key, write, sendNoted);
		return journal.isRetry ? await this.sendInRetry(name, write, sendNoted) : await sendNoted();
	}

	/** Waits until nothing is under way any more in n8n's store. Never rejects. */
	async settled(): Promise<void> {
		await this.ledger?.settled();
	}

	/** A second retry of an execution sends nothing that the first has sent. */
	private async sendInRetry(
		name: string,
		write: Write,
		send: () => Promise<IDataObject>,
	): Promise<IDataObject | Unsent> {
		const result = await this.sendByKey(this.journal.retryKeyOf(name), write, send);
		if (result === 'uncertain') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
		if (result === 'skipped') this.notices.add(DONE_BY_OTHER_RETRY, 'info');
		return result;
	}

	private async sendByKey(
		key: string,
		{ forget = false, resend = false }: Write,
		send: () => Promise<IDataObject>,
	): Promise<IDataObject | Unsent> {
		this.ledger ??= new Ledger(this.context, this.signal);
		let sending: Promise<IDataObject> | undefined;
		const outcome = await this.ledger.once({
			key,
			// A retry goes on where the execution stopped, so it does not forget what earlier tries have sent.
			forget: forget && !this.journal.isRetry,
			resend,
			send: async () => await (sending = send()).then(() => 'accepted' as const, outcomeOf),
		});
		if (outcome === 'skipped' || outcome === 'uncertain') return outcome;
		// It was sent, so this resolves or rejects at once.
		return sending ? await sending : 'uncertain';
	}
}

function outcomeOf(error: unknown): Outcome {
	return error instanceof RequestFailure ? error.outcome : 'unknown';
}
