import type { IExecuteFunctions } from 'n8n-workflow';
import type { Item, Operation, Run } from '../../../nodes/MessagingService/resources/operation';
import { handleItems } from '../../../nodes/MessagingService/run/itemLoop';
import { clientOf, response } from '../helpers/api';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';

const { signal } = new AbortController();
const run = fake<Run>({
	context: fake<IExecuteFunctions>({ getNodeParameter: () => null }),
	client: clientOf(async () => response(202), new VirtualClock()),
	signal,
});

test.each([1, 3, Infinity])(
	'items begin in their order, and at most %d are handled at once',
	async (concurrency) => {
		let [underWay, peak] = [0, 0];
		const begun: number[] = [];
		const execute = async ({ parameters: { itemIndex } }: Item) => {
			begun.push(itemIndex);
			peak = Math.max(peak, ++underWay);
			await Promise.resolve();
			underWay--;
			return { itemIndex };
		};
		const input = Array.from({ length: 120 }, () => ({}));
		const results = await handleItems(
			fake<Operation>({ execute, concurrency }),
			input,
			run,
			() => {},
		);
		expect(begun).toEqual([...input.keys()]);
		expect(results).toEqual(begun.map((itemIndex) => ({ output: { itemIndex } })));
		expect(peak).toBe(Math.min(concurrency, peak));
		expect(peak).toBeGreaterThanOrEqual(Math.min(concurrency, 50));
	},
);
