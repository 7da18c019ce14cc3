/** That nothing was forgotten for an endpoint: the operations that are missing, or too many, are named. */
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { operationIds } from '../../sandbox/operations.ts';

const { description } = new MessagingService();
/** The operations in the dropdowns, as `resource.operation`. */
const offered = description.properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ displayOptions, options = [] }) =>
		(displayOptions?.show?.resource ?? []).flatMap((resource) =>
			options.flatMap((option) => ('value' in option ? [`${resource}.${option.value}`] : [])),
		),
	);

// That the table and the stand-in have every operation of openapi.yaml is in their types.
test('the node offers each operation of sandbox/operations.ts once, and no other', () => {
	expect(offered.sort()).toEqual([...operationIds].sort());
});
