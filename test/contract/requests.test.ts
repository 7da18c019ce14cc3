/** That the node sends what openapi.yaml has, all of it, and nothing else. */
import { nodeOperations } from '../../sandbox/operations.ts';
import { parametersOf } from '../../sandbox/service/contract.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { run, start } from '../engine/service.ts';
import { operations } from './document.ts';

test.each(operations)('$operationId', async ({ operationId, needsKey, ...operation }) => {
	const service = await start({ messages: 1_000, inboxes: 120, templates: 120 });
	const { minimal, full, list } = nodeOperations[operationId];
	const all = list ? [{ ...minimal, returnAll: true }] : [];
	for (const parameters of [minimal, full, ...all]) {
		// Values and bodies that do not fit are refused, see test/service.
		expect((await run(service, operationId, parameters)).error).toBeUndefined();
	}

	const parameters = parametersOf(operation).filter((each) => each.in === 'query');
	const lists = parameters.filter(({ schema }) => schema.type === 'array').map(({ name }) => name);
	const sent = new Set<string>();
	for (const request of service.received()) {
		// By the method and the path.
		expect(request.operationId).toBe(operationId);
		const names = [...new URLSearchParams(request.query).keys()];
		const single = names.filter((name) => !lists.includes(name));
		expect(single).toHaveLength(new Set(single).size);
		for (const name of names) sent.add(name);
		expect(request.headers.apikey).toBe(needsKey ? seeded.demo.apiKey : undefined);
		const { requestBody } = operation;
		expect(request.headers['content-type']).toBe(requestBody && 'application/json');
		expect(request.body === undefined).toBe(requestBody === undefined);
	}
	expect([...sent].sort()).toEqual(parameters.map(({ name }) => name).sort());
});
