import { inEditor } from './world.ts';

const DISPLAY_NAME = 'Messaging Service';

/** How somebody finds the node who does not know its name. */
export function describeNodeSearch(): void {
	it(
		'finds the node by what it is about, and adds it with the chosen action',
		inEditor(async ({ editor, openWorkflow }) => {
			const { canvas, nodeCreator, panel } = editor;
			await openWorkflow();
			await nodeCreator.open();

			await nodeCreator.search('kubernetes');
			await nodeCreator.entry(DISPLAY_NAME).waitFor({ state: 'hidden' });
			for (const words of ['messaging', 'SMS', 'text message', 'inbox']) {
				await nodeCreator.search(words);
				await nodeCreator.entry(DISPLAY_NAME).waitFor();
			}

			await nodeCreator.entry(DISPLAY_NAME).click();
			await nodeCreator.action('Get many messages').click();
			await panel.ready();
			expect(await panel.value('resource')).toBe('Message');
			expect(await panel.value('operation')).toBe('Get Many');

			await panel.choose('resource', 'Agent');
			await panel.choose('operation', 'Invoke Webhook');
			await panel.field('phone').waitFor();
			await panel.field('limit').waitFor({ state: 'hidden' });

			await panel.close();
			// n8n names a node after what it does.
			expect(await canvas.nodeNames()).toContain('Invoke agent webhook');
		}),
	);

	// n8n lists the trigger and the node as one, by the aliases of the node alone.
	it(
		'finds the trigger by what it is about',
		inEditor(async ({ editor }) => {
			const { nodeCreator } = editor;
			await editor.newWorkflow();
			await nodeCreator.open();

			for (const words of ['received message', 'reply', 'delivery status']) {
				await nodeCreator.search(words);
				await nodeCreator.entry(DISPLAY_NAME).waitFor();
			}
		}),
	);
}
