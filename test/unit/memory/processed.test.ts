import type { IExecuteFunctions } from 'n8n-workflow';
import { ProcessedMarks } from '../../../nodes/MessagingService/memory/processed';
import { Problem } from '../../../nodes/MessagingService/nodeError';
import { fake } from '../helpers/fake';
import { ProcessedStore } from './processedStore';
import { contextWith } from './world';

const marksIn = (store: ProcessedStore, workflow?: string) =>
	new ProcessedMarks(contextWith(store, workflow));

test('a workflow that is not saved has nowhere to keep marks, and says so', () => {
	const context = fake<IExecuteFunctions>({
		getWorkflow: () => ({ id: undefined }),
	});
	const make = () => new ProcessedMarks(context);
	expect(make).toThrow(Problem);
	expect(make).toThrow('not saved');
	const description = expect.stringContaining('Save it, then run it again');
	expect(make).toThrow(expect.objectContaining({ description }));
});

test('marks are told from those that were set before', async () => {
	const marks = marksIn(new ProcessedStore());
	expect(await marks.set(['a', 'b'])).toEqual(new Set());
	expect(await marks.set(['b', 'c'])).toEqual(new Set(['b']));
	await marks.unset(['a', 'never set']);
	expect(await marks.set(['a', 'b', 'c'])).toEqual(new Set(['b', 'c']));
});

test('a mark that is named twice is there once, and goes at once', async () => {
	const store = new ProcessedStore();
	const marks = marksIn(store);
	expect(await marks.set(['a', 'a'])).toEqual(new Set());
	expect(store.size).toBe(1);
	await marks.unset(['a']);
	expect(await marks.set(['a'])).toEqual(new Set());
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

test('a set of another kind is a problem that says what to do', async () => {
	const store = new ProcessedStore();
	const words = 'Deduplication data was originally saved with an incompatible setting of ...';
	jest.spyOn(store, 'checkProcessedAndRecord').mockRejectedValueOnce(new Error(words));
	await expect(marksIn(store).set(['a'])).rejects.toMatchObject({
		name: 'Problem',
		message: expect.stringContaining('stored in another form'),
		description: expect.stringContaining('Set its scope to "Node"'),
	});
});

test('the marks of a node and those of its workflow are kept apart', async () => {
	const context = contextWith(new ProcessedStore());
	await new ProcessedMarks(context).set(['a']);
	expect(await new ProcessedMarks(context, 'workflow').set(['a'])).toEqual(new Set());
});

describe('turns', () => {
	interface Owner {
		workflow: string;
		node?: string;
		scope?: 'node' | 'workflow';
	}

	/** Sets a mark in these sets, all at once, and gives how many calls were under way at most. */
	async function mostAtOnce(...owners: Owner[]): Promise<number> {
		let underWay = 0;
		let most = 0;
		const store = new ProcessedStore();
		jest.spyOn(store, 'checkProcessedAndRecord').mockImplementation(async () => {
			most = Math.max(most, ++underWay);
			await new Promise((resolve) => setImmediate(resolve));
			if (underWay-- === most) throw new Error('the store failed');
			return { new: [], processed: [] };
		});
		const marksOf = ({ workflow, node = 'node', scope }: Owner) =>
			new ProcessedMarks(contextWith(store, workflow, { getNode: () => ({ id: node }) }), scope);
		await Promise.allSettled(owners.map(async (owner) => await marksOf(owner).set(['a'])));
		return most;
	}

	test('calls for the same node take turns, also after one that failed', async () => {
		const workflow = 'same';
		expect(await mostAtOnce({ workflow }, { workflow }, { workflow })).toBe(1);
	});

	test('a call that comes when one of two has ended waits for the other', async () => {
		const store = new ProcessedStore();
		const marks = marksIn(store);
		let end = () => {};
		const set = jest.spyOn(store, 'checkProcessedAndRecord');
		const nothing = { new: [], processed: [] };
		set.mockResolvedValueOnce(nothing);
		set.mockImplementationOnce(async () => {
			await new Promise<void>((resolve) => (end = resolve));
			return nothing;
		});
		const [first, second] = [marks.set(['a']), marks.set(['b'])];
		await first;
		const third = marks.set(['c']);
		await new Promise((resolve) => setImmediate(resolve));
		expect(set).toHaveBeenCalledTimes(2);
		end();
		await Promise.all([second, third]);
		expect(set).toHaveBeenCalledTimes(3);
	});

	test('calls for the same workflow take turns, also those of several nodes', async () => {
		const of = { workflow: 'same', scope: 'workflow' } as const;
		expect(await mostAtOnce({ ...of, node: 'one' }, { ...of, node: 'other' })).toBe(1);
	});

	test.each<[string, Owner, Owner]>([
		['workflows', { workflow: 'one' }, { workflow: 'other' }],
		['nodes', { workflow: 'same', node: 'one' }, { workflow: 'same', node: 'other' }],
	])('other %s do not wait', async (_which, ...owners) => {
		expect(await mostAtOnce(...owners)).toBe(2);
	});
});
