/** That nothing was forgotten for an endpoint: what is missing is named by the test that fails. */
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { operationIds } from '../../sandbox/operations.ts';
import { handlers } from '../../sandbox/service/handlers/index.ts';
import { operations } from './document.ts';

const { description } = new MessagingService();
/** The operations in the dropdowns, as `resource.operation`. */
const offered = description.properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options = [] }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			options.flatMap((option) => ('value' in option ? [`${resource}.${option.value}`] : [])),
		),
	);
const documented: string[] = operations.map(({ operationId }) => operationId);

test.each(documented)('%s of openapi.yaml is offered by the node, once', (id) => {
	expect(documented.filter((each) => each === id)).toHaveLength(1);
	expect(offered.filter((each) => each === id)).toHaveLength(1);
});

test.each(documented)('%s of openapi.yaml has a handler in the stand-in', (id) => {
	expect(Object.keys(handlers)).toContain(id);
});

test.each([...new Set([...documented, ...offered])])(
	'%s has a row in sandbox/operations.ts',
	(id) => {
		expect(operationIds).toContain(id);
	},
);

test.each(operationIds)('%s of sandbox/operations.ts is offered by the node', (id) => {
	expect(offered).toContain(id);
});

test.each(Object.keys(handlers))('%s, which the stand-in handles, is in openapi.yaml', (id) => {
	expect(documented).toContain(id);
});

test('the node offers every resource that has operations', () => {
	const resource = description.properties.find(({ name }) => name === 'resource');
	const resources = resource?.options?.flatMap((option) => ('value' in option ? option.value : []));
	const withOperations = offered.map((id) => id.split('.')[0]);
	expect(resources?.sort()).toEqual([...new Set(withOperations)].sort());
});
