import type { IDataObject } from 'n8n-workflow';
import type { Notices } from '../operations/notices';
import type { Write } from '../operations/operation';
import type { Journal } from './journal';
import type { Ledger } from './ledger';

const DONE_BY_OTHER_RETRY =
	'Another retry of this execution has already done this, so it was skipped.';

/** What keeps the writes of a run from happening twice. */
interface Memories {
	/** Knows what earlier tries of this execution did. */
	journal: Journal;
	/** Knows by key what was sent: by any run of the node with "Send Once", and by other retries of the execution. */
	ledger: Ledger;
	notices: Notices;
}

/** Makes a write that must not happen twice: see `WriteRun.once`. */
export async function writeOnce(
	{ journal, ledger, notices }: Memories,
	write: Write,
	send: () => Promise<IDataObject>,
): Promise<IDataObject> {
	const entryId = journal.entryIdOf(write.subject);
	const earlier = journal.earlierOutput(entryId, write);
	if (earlier) return earlier;
	const sendNoted = async () => await journal.sendNoted(entryId, send);
	const keys = journal.keysOf(entryId, write);
	if (keys.length === 0) return await sendNoted();
	const result = await ledger.once({ keys, send: sendNoted });
	if (typeof result !== 'string') return result;
	if (write.key === undefined) {
		// The operation knows nothing about other retries, so it cannot say why.
		if (result === 'unknown') throw journal.leftByOther();
		notices.add(DONE_BY_OTHER_RETRY, 'info');
	}
	return write.outputUnsent?.(result) ?? { outcome: result };
}
