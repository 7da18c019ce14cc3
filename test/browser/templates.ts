import { inEditor } from './world.ts';

/** Filling in a message template. */
export function describeTemplates(): void {
	it(
		'has a field for each placeholder of the chosen template',
		inEditor(async ({ editor, action, openNode }) => {
			const { panel } = editor;
			await openNode(action('Text', { resource: 'messageTemplate', operation: 'render' }));

			await panel.pickFromList('templateId', 'lead', 'Lead follow-up');
			await panel.fill('firstName', 'Ada');
			await panel.fill('topic', 'the spring offer');
			await panel.execute();

			await panel.output.errorMessage
				.getByText('The template "Lead follow-up" has no value for: time')
				.waitFor();

			await panel.fill('time', '10 am');
			await panel.execute();
			const [row] = await panel.output.rows();
			expect(row).toMatchObject({
				text: 'Hi Ada, you asked about the spring offer. Is 10 am today still good?',
			});
		}),
	);
}
