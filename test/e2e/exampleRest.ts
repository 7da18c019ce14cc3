/** The examples that no other test has run, so that each of them has run in the end. */
import { changed, examples, run, store, used } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

test('the examples that no other test has run run through', async () => {
	// Some look for messages that the service has from the start.
	await sandbox.service.reset('data', 'log');
	const rest = examples.filter(({ name }) => !used.has(name));
	const soon = changed('Wait a day', { amount: 1, unit: 'seconds' });
	for (const { name } of rest) await run(await store(name, soon));
	expect([...used].sort()).toEqual(examples.map(({ name }) => name));
});
