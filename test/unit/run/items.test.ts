import type { IExecuteFunctions } from 'n8n-workflow';
import { systemClock } from '../../../nodes/MessagingService/n8n/clock';
import type { Run } from '../../../nodes/MessagingService/operations/operation';
import { handleItems, type Handling } from '../../../nodes/MessagingService/run/items';
import { noResponse } from '../../../nodes/MessagingService/api/request';
import { clientOf } from '../helpers/api';
import { fake } from '../helpers/fake';

/** Handles items with a node in whose panel nothing is set. */
async function handle(
	count: number,
	perform: Handling['perform'],
	{ concurrency = Infinity, ended = new AbortController() } = {},
) {
	const context = fake<IExecuteFunctions>({
		getNodeParameter: () => undefined,
		getTimezone: () => 'UTC',
	});
	const client = clientOf(async () => noResponse('unreachable'), systemClock);
	const { signal } = ended;
	const run = fake<Run & Handling>({
		...{ context, client, clock: systemClock, signal },
		...{ perform, concurrency, memories: undefined },
	});
	const input = Array.from({ length: count }, (_, n) => ({ n }));
	return await handleItems(input, run, () => ended.abort());
}

test('while thousands of items begin, everything else in the process gets its turn', async () => {
	let turns = 0;
	let next = setImmediate(function count() {
		turns++;
		next = setImmediate(count);
	});
	const turnsBefore: number[] = [];
	await handle(2_000, async () => {
		turnsBefore.push(turns);
		return {};
	});
	clearImmediate(next);
	expect(turnsBefore).toHaveLength(2_000);
	expect(new Set(turnsBefore).size).toBeGreaterThan(20);
});

test('what comes after the failure that ends the run is not even looked at', async () => {
	const begun: number[] = [];
	const fail: Handling['perform'] = async ({ json }) => {
		begun.push(Number(json.n));
		throw new Error('wrong');
	};
	const results = await handle(5, fail, { concurrency: 1 });
	expect(begun).toEqual([0]);
	expect(results.filter(Boolean)).toHaveLength(1);
});
