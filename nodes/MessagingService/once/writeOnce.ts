import type { IDataObject } from 'n8n-workflow';
import type { Run, Write } from '../operations/operation';
import type { Journal } from './journal';
import { UnknownOutcome } from './outcome';
import type { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';
/** Goes on after "The earlier try failed with: ". */
const LEFT_BY_OTHER_RETRY = 'another retry left its outcome unknown';

/** What keeps the writes of a run from happening twice. */
interface Memories {
	/** Knows what earlier tries of this execution did. */
	journal: Journal;
	/** Knows by key what was sent: with "Send Once" in any run of the node, and in a retry by others of the execution. */
	ledger: Ledger;
	notices: Run['notices'];
}

/** See `Run.once`. */
export async function writeOnce(
	{ journal, ledger, notices }: Memories,
	write: Write,
	send: () => Promise<IDataObject>,
): Promise<IDataObject> {
	const entryId = journal.entryIdOf(write.subject);
	const earlier = journal.recall(entryId, write);
	if (earlier) return earlier;
	const sendNoted = async () => {
		// An execution with "Send Once" that was cut off has left its keys, unless it was set only afterwards.
		if (!ledger.foundKeys) journal.refuseAfterCutOff(write);
		return await journal.sendNoted(entryId, send);
	};
	const keys = journal.keysOf(entryId, write);
	if (keys.length === 0) return await sendNoted();
	const result = await ledger.once({ keys, send: sendNoted });
	if (typeof result !== 'string') return result;
	if (write.key === undefined) {
		// The operation knows nothing of other retries, so it does not say why.
		if (result === 'unknown') throw new UnknownOutcome(LEFT_BY_OTHER_RETRY);
		notices.add(DONE_BY_OTHER_RETRY, 'info');
	}
	return write.outputUnsent?.(result) ?? { outcome: result };
}
