import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';
import { Marks } from '../../../../nodes/MessagingService/run/once/marks';
import { fake } from '../../helpers/fake';
import { VirtualClock } from '../../helpers/virtualClock';
import { ProcessedStore } from './processedStore';

function marksOn(store: ProcessedStore, workflow: string): Marks {
	return new Marks(
		fake<IExecuteFunctions>({
			getWorkflow: () => ({ id: workflow }),
			getNode: () => ({ id: 'node' }),
			helpers: {
				checkProcessedAndRecord: async (
					marks: string[],
					scope: DeduplicationScope,
					options: ICheckProcessedOptions,
				) => await store.checkProcessedAndRecord(marks, scope, undefined, options),
				removeProcessed: async (
					marks: string[],
					scope: DeduplicationScope,
					options: ICheckProcessedOptions,
				) => await store.removeProcessed(marks, scope, undefined, options),
			},
		}),
		'node',
		new VirtualClock(),
	);
}

test('of changes that are made together, each finds what those before it have set', async () => {
	const store = new ProcessedStore();
	const marks = marksOn(store, 'together');
	const changes = [['under way'], ['a', 'b'], ['b', 'c'], ['a', 'under way']];
	const known = await Promise.all(
		changes.map(async (change) => {
			const { before } = await marks.set(change);
			return change.filter((mark) => before.has(mark));
		}),
	);
	expect(known).toEqual([[], [], ['b'], ['a', 'under way']]);
	expect(store.calls.map(({ marks: set }) => set)).toEqual([
		['under way'],
		['a', 'b', 'c', 'under way'],
	]);
});

test('a mark that is taken away between two that set it is new for the second', async () => {
	const marks = marksOn(new ProcessedStore(), 'between');
	const [, , second] = await Promise.all([marks.set(['a']), marks.remove(['a']), marks.set(['a'])]);
	expect([...second.before]).toEqual([]);
});
