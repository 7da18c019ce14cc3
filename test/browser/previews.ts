import { inEditor } from './world.ts';

/** What a node will put out, before it ever ran. */
export function describePreviews(): void {
	it(
		'show the fields of a node to the one after it',
		inEditor(async ({ editor, action, openNode }) => {
			await openNode(action('Messages', { resource: 'message', operation: 'getAll' }), {
				name: 'Next',
				type: 'n8n-nodes-base.noOp',
			});

			const fields = await editor.panel.input.previewFields();
			expect(fields).toEqual(expect.arrayContaining(['id', 'body', 'sender', 'status', 'inboxId']));
		}),
	);
}
