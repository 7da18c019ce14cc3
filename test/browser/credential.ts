import { seeded } from '../../sandbox/service/service.ts';
import { inEditor } from './world.ts';

/** The credential, as a new user makes it. */
export function describeCredential(): void {
	it(
		'says what is wrong with a key, and is ready once the key is right',
		inEditor(async ({ editor, action, openNode, service }) => {
			const { credential, panel } = editor;
			await openNode(action('Inboxes', { resource: 'inbox', operation: 'getAll' }));
			await panel.createCredential();
			await credential.field('baseUrl').fill(service.url);
			await credential.field('apiKey').fill('wrong-key');
			await credential.save();

			const problem = await credential.problem();
			expect(problem).toContain('does not accept the API key');
			expect(problem).toContain('team settings, API section');
			expect(problem).not.toContain('wrong-key');

			await credential.field('apiKey').fill(seeded.demo.apiKey);
			await credential.save();
			await credential.closed();

			expect(await panel.credentialName()).toBe('Messaging Service account');
			await panel.editCredential();
			await credential.success.waitFor();
		}),
	);
}
