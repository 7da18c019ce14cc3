import type { IExecuteFunctions } from 'n8n-workflow';
import { ProcessedMarks } from '../../../nodes/MessagingService/memory/processed';
import { Problem } from '../../../nodes/MessagingService/nodeError';
import { fake } from '../helpers/fake';
import { ProcessedStore } from './processedStore';
import { marksIn } from './world';

test('a workflow that is not saved has nowhere to keep marks, and says so', () => {
	const context = fake<IExecuteFunctions>({
		getWorkflow: () => ({ id: undefined }),
	});
	const make = () => new ProcessedMarks(context);
	expect(make).toThrow(Problem);
	expect(make).toThrow('not saved');
});

test('marks are told from those that were set before', async () => {
	const marks = marksIn(new ProcessedStore());
	expect(await marks.set(['a', 'b'])).toEqual(new Set());
	expect(await marks.set(['b', 'c'])).toEqual(new Set(['b']));
	await marks.unset(['a', 'never set']);
	expect(await marks.set(['a', 'b', 'c'])).toEqual(new Set(['b', 'c']));
});

test('the latest marks are kept where there is a bound', async () => {
	const marks = marksIn(new ProcessedStore());
	await marks.set(['a', 'b', 'c'], 2);
	await marks.set(['d'], 2);
	expect(await marks.set(['a', 'b', 'c', 'd'])).toEqual(new Set(['c', 'd']));
});

test.each([
	'duplicate key value violates unique constraint "PK_1"',
	'SQLITE_CONSTRAINT: UNIQUE constraint failed: processed_data.workflowId',
	"Duplicate entry 'n:1' for key 'processed_data.PRIMARY'",
])('two workers may make the record of a node at the same moment: %s', async (words) => {
	const store = new ProcessedStore();
	jest.spyOn(store, 'checkProcessedAndRecord').mockRejectedValueOnce(new Error(words));
	const marks = marksIn(store);
	expect(await marks.set(['a'])).toEqual(new Set());
	expect(await marks.set(['a'])).toEqual(new Set(['a']));
});

test('any other failure of the store is one', async () => {
	const store = new ProcessedStore();
	const call = jest.spyOn(store, 'checkProcessedAndRecord');
	call.mockRejectedValueOnce(new Error('database is locked'));
	await expect(marksIn(store).set(['a'])).rejects.toThrow('database is locked');
	expect(call).toHaveBeenCalledTimes(1);
});

test('no marks need no call of the store', async () => {
	const store = new ProcessedStore();
	const marks = marksIn(store);
	await marks.set([]);
	await marks.unset([]);
	expect(store.calls).toEqual([]);
});

describe('turns', () => {
	/** Does work in turns and gives the order of its steps. */
	async function stepsOf(...owners: string[]): Promise<string[]> {
		const steps: string[] = [];
		const turns = owners.map(async (owner, index) => {
			await marksIn(new ProcessedStore(), owner).exclusively(async () => {
				steps.push(`begin ${index}`);
				await new Promise((resolve) => setImmediate(resolve));
				steps.push(`end ${index}`);
				if (index === 0) throw new Error('the store failed');
			});
		});
		await Promise.allSettled(turns);
		return steps;
	}

	test('runs of the same node take turns, also after one that failed', async () => {
		expect(await stepsOf('same', 'same')).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1']);
	});

	test('other workflows do not wait', async () => {
		expect(await stepsOf('one', 'other')).toEqual(['begin 0', 'begin 1', 'end 0', 'end 1']);
	});

	test('who comes while the second one works waits too', async () => {
		const marks = marksIn(new ProcessedStore(), 'three');
		let underWay = 0;
		const work = async () => {
			expect(++underWay).toBe(1);
			await new Promise((resolve) => setImmediate(resolve));
			underWay--;
		};
		const first = marks.exclusively(work);
		const second = marks.exclusively(work);
		await first;
		await Promise.all([second, marks.exclusively(work)]);
	});
});
