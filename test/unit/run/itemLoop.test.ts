import type { IExecuteFunctions } from 'n8n-workflow';
import type { Item, Run } from '../../../nodes/MessagingService/resources/operation';
import { ItemLoop } from '../../../nodes/MessagingService/run/itemLoop';
import { clientOf, response } from '../helpers/api';
import { fake } from '../helpers/fake';
import { VirtualClock } from '../helpers/virtualClock';

test.each([
	['ifRefused', 'unknown'],
	['idempotent', 'refused'],
] as const)(
	'an item that fails in no known way, after a request that is repeated %s, is %s',
	async (repeat, outcome) => {
		const run = fake<Run>({
			context: fake<IExecuteFunctions>({
				getExecutionCancelSignal: () => undefined,
				getNodeParameter: () => null,
			}),
			input: [{}],
			client: clientOf(async () => response(202), new VirtualClock()),
		});
		const execute = async ({ client }: Item): Promise<never> => {
			await client.send({ method: 'POST', path: '/', repeat });
			throw new TypeError('nobody thought of this');
		};
		const loop = new ItemLoop({
			run,
			handling: { execute },
			concurrency: 1,
			continues: true,
			onAbandoned: () => {},
		});
		expect(await loop.handleAll()).toMatchObject([{ outcome, error: expect.any(TypeError) }]);
	},
);
