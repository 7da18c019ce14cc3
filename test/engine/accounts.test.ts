/** A credential whose fields are expressions: all items of a run have one account, or the run is refused. */
import { nodeOperations } from '../../sandbox/operations.ts';
import { credentialOf, run, start } from './service.ts';
import { numbered, writes } from './writes.ts';

/** The first item that has another key; behind the first twenty, the items are looked at here and there. */
const OTHERS = [1, 19, 20, 39, 40, 500, 999];

describe.each(writes)('$operation', ({ operation, parameters }) => {
	test.each(OTHERS)('sends nothing when items from %i on have another account', async (from) => {
		const service = await start();
		const credentialOfItem = (item: number) =>
			credentialOf(service, item >= from ? { apiKey: 'key-of-another-team' } : {});
		const more = { credential: credentialOf(service), credentialOfItem, input: numbered(1_000) };
		const { error } = await run(service, operation, parameters, more);
		expect(error?.message).toMatch(/differs between the items of this run/);
		expect(String(error?.description)).toMatch(/batch size of 1/);
		expect(service.received()).toEqual([]);
	});
});

test('a run whose items have the same account is sent', async () => {
	const service = await start();
	const { perItem } = nodeOperations['agent.start'];
	const more = { credentialOfItem: () => credentialOf(service), input: numbered(3) };
	expect((await run(service, 'agent.start', perItem, more)).json).toHaveLength(3);
});
