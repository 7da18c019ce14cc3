/** The examples that no other test has run, so that each of them and every operation has run in the end. */
import { operationIds } from '../../sandbox/operations.ts';
import { changed, examples, operationsRun, run, store, used } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

test('the examples that no other test has run run through', async () => {
	// Some look for messages that the service has from the start.
	await sandbox.service.reset('data', 'log');
	const rest = examples.filter(({ name }) => !used.has(name));
	const soon = changed('Wait a day', { amount: 1, unit: 'seconds' });
	for (const { name } of rest) await run(await store(name, soon));
	expect([...used].sort()).toEqual(examples.map(({ name }) => name));
});

test('between them, they have run every operation', () => {
	expect([...operationsRun]).toEqual(expect.arrayContaining(operationIds));
});
