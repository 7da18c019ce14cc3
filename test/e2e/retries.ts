/** Retries of executions that n8n has ended in every way: nothing is sent twice, and what was not sent has a name. */
import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import type { OperationId } from '../../sandbox/service/contract.ts';
import { EndedExecution, type Connected } from './endedExecution.ts';
import { endings, type End, type Ending } from './endings.ts';

/** All operations that must not happen twice. Each is an endpoint. */
export const writes = operationIds.filter(
	(id): id is OperationId => nodeOperations[id].effect !== 'reads',
);

/** What executions run in, and how it ends them. */
interface Means {
	/** Known once the tests run. */
	connected(): Connected;
	/** Ends what runs executions as a crash does, and starts it again, with or without its log of events. */
	crash(keepsLog: boolean): Promise<void>;
	/** Ends after which n8n may have nothing left to run in a retry. */
	mayRunNothing?: readonly End[];
}

const TITLES: Record<End, string> = {
	itself: 'an execution that failed, or took too long',
	user: 'an execution that somebody stopped',
	kill: 'an execution that was killed',
	killWithoutLog: 'an execution that was killed, of which n8n has no log',
};

/** Has executions of an operation end, and retries each in a test. They go on side by side, since they mostly wait. */
export function testRetries(
	operation: OperationId,
	by: End,
	{ connected, crash, mayRunNothing = [] }: Means,
): void {
	describe(`${operation}, the retries of ${TITLES[by]}`, () => {
		const retried = new Map<Ending, Promise<void>>();
		const begun: EndedExecution[] = [];
		const begin = async (ending: Ending) => {
			const execution = await EndedExecution.begin(connected(), ending, operation);
			begun.push(execution);
			if (by === 'user') await execution.stop();
			return execution;
		};

		beforeAll(async () => {
			const beginnings = endings[by].map((ending) => ({ ending, execution: begin(ending) }));
			await Promise.allSettled(beginnings.map(({ execution }) => execution));
			if (by === 'kill' || by === 'killWithoutLog') await crash(by === 'kill');
			for (const { ending, execution } of beginnings) {
				retried.set(
					ending,
					execution.then((ended) =>
						ended.expectRetries(mayRunNothing.includes(by) || ending.mayRunNothing),
					),
				);
			}
			await Promise.allSettled(retried.values());
		});

		afterAll(() => Promise.all(begun.map((execution) => execution.close())));

		test.each(endings[by])('$title', async (ending) => await retried.get(ending));
	});
}
