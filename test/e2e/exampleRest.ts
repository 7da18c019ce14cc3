/** The examples that no other test has run, so that each of them has run in the end. */
import { ASKED } from '../../sandbox/demo/examples.ts';
import { examples, ran, run, store } from './exampleFlows.ts';
import { sandbox } from './shared.ts';

test('the examples that no other test has run run through', async () => {
	// Some look for messages that the service has from the start.
	await sandbox.service.reset('data', 'log');
	// The others run the one that they ask.
	const rest = examples.filter(({ name, workflow }) => name !== ASKED && !ran.has(workflow.name));
	for (const { name } of rest) await run(await store(name));
});
