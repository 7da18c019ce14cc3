import { seeded } from '../../sandbox/service/service.ts';
import { inEditor, type World } from './world.ts';

function inboxesOf({ service }: World) {
	return service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey)?.inboxes ?? [];
}

/** Choosing from the account's lists, and reading them. */
export function describeLists(): void {
	it(
		'filters messages by an inbox that is found by typing',
		inEditor(async (world) => {
			const { panel } = world.editor;
			const inbox = inboxesOf(world)[110];
			await world.openNode(
				world.action('Messages', { resource: 'message', operation: 'getAll', limit: 7 }),
			);

			await panel.add('Add filter', 'Inboxes');
			await panel.pickFromList('inboxIds', inbox?.name ?? '', `${inbox?.name} · ${inbox?.phone}`);
			await panel.execute();

			const rows = await panel.output.rows();
			expect(rows).toHaveLength(7);
			expect(new Set(rows.map(({ inboxId }) => inboxId))).toEqual(new Set([inbox?.id]));
		}),
	);

	it(
		'has more of a list when one scrolls to its end',
		inEditor(async (world) => {
			const { panel } = world.editor;
			await world.openNode(world.action('Messages', { resource: 'message', operation: 'getAll' }));
			await panel.add('Add filter', 'Inboxes');
			await panel.openList('inboxIds');
			const first = await panel.listEntries.count();

			await panel.listEntries.last().scrollIntoViewIfNeeded();
			await panel.listEntries.nth(first).waitFor();

			expect(first).toBeLessThan(inboxesOf(world).length);
		}),
	);
}
