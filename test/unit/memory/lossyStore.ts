import type { Clock } from '../../../nodes/MessagingService/api/clock';
import type { ProcessedStore } from './processedStore';

/**
 * The store as a worker sees it: each change reads all marks and writes them back after a while, without a
 * lock, so that what another worker writes meanwhile is lost.
 *
 * @param toRead milliseconds until a change has read the marks
 * @param toWrite milliseconds from then on until it has written them back
 */
export function seenByWorker(
	store: ProcessedStore,
	clock: Clock,
	toRead: () => number,
	toWrite = toRead,
): Pick<ProcessedStore, 'checkProcessedAndRecord' | 'removeProcessed'> {
	async function change<Result>(
		scope: string,
		make: (marks: ProcessedStore) => Promise<Result>,
	): Promise<Result> {
		await clock.wait(toRead());
		const marks = store.copy();
		await clock.wait(toWrite());
		const result = await make(marks);
		store.overwrite(marks, [scope]);
		return result;
	}
	return {
		checkProcessedAndRecord: async (...call) =>
			await change(call[1], async (marks) => await marks.checkProcessedAndRecord(...call)),
		removeProcessed: async (...call) =>
			await change(call[1], async (marks) => await marks.removeProcessed(...call)),
	};
}
