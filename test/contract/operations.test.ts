/** That nothing was forgotten for an endpoint: the operations that are missing, or too many, are named. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MessagingService } from '../../nodes/MessagingService/MessagingService.node';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import { operationIds } from '../../sandbox/operations.ts';

const { properties } = new MessagingService().description;

/** The names and values of the entries of a dropdown, where its field is shown for this resource. */
function choicesOf(field: string, resource?: string): Array<{ name: string; value: unknown }> {
	return properties
		.filter(({ name }) => name === field)
		.filter(({ displayOptions }) => displayOptions?.show?.resource?.[0] === resource)
		.flatMap(({ options = [] }) => options.flatMap((each) => ('value' in each ? [each] : [])));
}

/** The operations in the dropdowns. */
const offered = choicesOf('resource').flatMap((resource) =>
	choicesOf('operation', String(resource.value)).map((operation) => ({
		id: `${String(resource.value)}.${String(operation.value)}`,
		title: `${resource.name}: ${operation.name}`,
	})),
);

// That the table and the stand-in have every operation of openapi.yaml is in their types.
test('the node offers each operation of sandbox/operations.ts once, and no other', () => {
	expect(offered.map(({ id }) => id).sort()).toEqual([...operationIds].sort());
});

test('README names each operation as the panel calls it, and no other', () => {
	const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
	const [, section = ''] = /^## Operations$([\s\S]*?)^## /m.exec(readme) ?? [];
	// One line for each resource. What begins with a small letter explains the operation in front of it.
	const named = [...section.matchAll(/^- \*\*(.+):\*\* (.+)$/gm)].flatMap(
		([, resource = '', names = '']) =>
			names
				.split(', ')
				.filter((name) => !/^[a-z]/.test(name))
				.map((name) => `${resource}: ${name}`),
	);
	expect(named.sort()).toEqual(offered.map(({ title }) => title).sort());
});
