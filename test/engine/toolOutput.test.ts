/** The node as the tool of an AI agent: what the model is told of it, and what it gets back. */
import { type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { byId, known, nodeOperations, operationIds } from '../../sandbox/operations.ts';
import type { Service } from '../../sandbox/service/service.ts';
import { fieldsOf, operations } from '../contract/document.ts';
import './memoryStore.ts';
import { run, startQuietly, type NodeOperation } from './service.ts';

let service: Service;
beforeAll(async () => {
	service = await startQuietly({ messages: 200, inboxes: 200, templates: 200 });
});
afterAll(() => service.close());

/** The operations whose objects have more than ten fields, and those fields by the contract. */
const large = operations.flatMap((operation) => {
	const { operationId: id } = operation;
	const { list, minimal, full } = nodeOperations[id];
	const fields = fieldsOf(operation);
	return fields.length > 10
		? [{ id, fields, parameters: list ? { ...minimal, returnAll: true } : full }]
		: [];
});

/** The parameters of an operation with this name. */
function propertiesOf(id: NodeOperation, name: string): INodeProperties[] {
	const [resource = '', operation = ''] = id.split('.');
	return new MessagingService().description.properties.filter(
		({ name: each, displayOptions: { show } = {} }) =>
			each === name && show?.resource?.includes(resource) && show.operation?.includes(operation),
	);
}

const asTool = async (id: NodeOperation, parameters: INodeParameters) =>
	await run(service, id, parameters, { asTool: true });

describe('the choice of the output', () => {
	test.each(operationIds)('is there for %s if that puts out more than ten fields', (id) => {
		const properties = propertiesOf(id, 'output');
		expect(properties).toHaveLength(large.some((each) => each.id === id) ? 1 : 0);
	});

	describe.each(large)('of $id', ({ id, fields, parameters }) => {
		test('is at most ten fields by default, without anything nested', async () => {
			const { json } = await asTool(id, parameters);
			expect(json.length).toBeGreaterThan(0);
			for (const item of json) {
				expect(item.id).toBeDefined();
				expect(Object.keys(item).length).toBeLessThanOrEqual(10);
				for (const value of Object.values(item)) expect(Object(value)).not.toBe(value);
			}
		});

		test('is everything when it is raw', async () => {
			const { json } = await asTool(id, { ...parameters, output: 'raw' });
			const names = new Set(json.flatMap((item) => Object.keys(item)));
			expect(fields).toEqual(expect.arrayContaining([...names]));
			expect(names.size).toBeGreaterThan(10);
		});

		test('is the chosen fields, and always the ID', async () => {
			const [, , name = ''] = fields;
			const choice = { output: 'selectedFields', outputFields: [name] };
			const { json } = await asTool(id, { ...parameters, ...choice });
			expect(new Set(json.map((item) => Object.keys(item).join()))).toEqual(
				new Set([`id,${name}`]),
			);
		});
	});

	test('takes the place of "Simplify"', async () => {
		const { json } = await asTool('message.getAll', { simple: false });
		expect(Object.keys(json[0] ?? {})).toHaveLength(10);
		// What is left over from a tool says nothing in a node that is none.
		const leftOver = { simple: false, output: 'selectedFields', outputFields: ['id'] };
		const { json: plain } = await run(service, 'message.getAll', leftOver);
		expect(Object.keys(plain[0] ?? {}).length).toBeGreaterThan(10);
	});
});

describe('what fails', () => {
	const webhook = byId(known.webhookId);
	/** What is left to a model, as the panel has it, once the model has given this value. */
	const fromAi = (value: string) => `={{ /* $fromAI('Value') */ ${JSON.stringify(value)} }}`;

	test('is told to the model, as n8n has no "On Error" for tools', async () => {
		const refused = await asTool('agent.start', {
			webhook,
			phone: fromAi('555-0100'),
		});
		expect(refused.error).toBeUndefined();
		expect(refused.json).toEqual([
			{
				outcome: 'refused',
				error: 'Phone "555-0100" does not begin with "+" and a country code',
				errorDescription: expect.stringContaining('Use a format like +15555550142'),
			},
		]);
	});

	test.each(['', 'null', 'N/A', 'undefined'])(
		'is no filter that the model leaves empty, as it cannot remove it: %j',
		async (nothing) => {
			const empty = fromAi(nothing);
			const names = ['after', 'before', 'phone', 'status', 'text'];
			const filters = {
				inboxIds: byId(empty),
				...Object.fromEntries(names.map((name) => [name, empty])),
			};
			const all = await asTool('message.getAll', { limit: 5 });
			const unfiltered = await asTool('message.getAll', { limit: 5, filters });
			expect(unfiltered.json).toEqual(all.json);
			const inboxes = await asTool('inbox.getAll', { filters: { phone: empty } });
			expect(inboxes.json).toHaveLength(50);

			const { json } = await asTool('message.getAll', {
				limit: 5,
				filters: { after: fromAi('2000-01-01'), direction: fromAi('inbound'), phone: empty },
			});
			expect(json.map(({ inbound }) => inbound)).toEqual(new Array(5).fill(true));
			const found = await asTool('message.getAll', { filters: { text: fromAi('#2026/1143') } });
			expect(found.json).toEqual([]);
			const { json: refused } = await asTool('message.getAll', { filters: { text: '={{ "" }}' } });
			expect(refused).toEqual([
				expect.objectContaining({ error: 'The filter "Text" has no value' }),
			]);
		},
	);
});
