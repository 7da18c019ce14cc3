import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { inEditor, type World } from './world.ts';

const SECRET = 'a secret that both sides know';

/** Lets the stand-in send a secret with its events, and stores a credential that has the same one. */
async function agreeOnSecret({ n8n, service }: World): Promise<string> {
	await service.configure({ events: { signing: { kind: 'sharedSecret', secret: SECRET } } });
	const { name } = await createCredential(n8n.rest, {
		name: 'Stand-in, with a secret',
		type: CREDENTIAL_TYPE,
		data: { baseUrl: service.url, apiKey: seeded.demo.apiKey, webhookSecret: SECRET },
	});
	return name;
}

async function subscribed({ editor, service }: World, part: string): Promise<void> {
	await editor.waitUntil(() => service.subscriptions().some(({ url }) => url.includes(part)));
}

async function ranInProduction({ editor, n8n }: World, id: string): Promise<void> {
	await editor.waitUntil(async () => {
		const executions = await listExecutions(n8n.rest, { id });
		return executions.some(({ mode, status }) => mode === 'webhook' && status === 'success');
	});
}

/** The trigger, from its panel to an event that arrives. */
export function describeTrigger(): void {
	it(
		'shows an event while one builds the workflow, and starts the published one',
		inEditor(async (world) => {
			const { canvas, executions, nodeCreator, panel } = world.editor;
			const credential = await agreeOnSecret(world);
			const id = await world.editor.newWorkflow();
			await nodeCreator.open();
			await nodeCreator.search('messaging');
			await nodeCreator.entry('Messaging Service').click();
			await nodeCreator.action('On new Messaging Service event').click();
			await panel.chooseCredential(credential);
			// n8n hides a field if the choice of credentials depends on all its options.
			expect(await panel.value('verification')).toBe('Shared Secret');
			await panel.choose('registration', 'Automatic');
			await panel.fill('subscriptionPath', '/public/webhooks');

			await panel.start();
			await subscribed(world, '/webhook-test/');
			world.service.receiveMessage({ body: 'Are you open on Monday?' });
			await panel.output.root.getByText('Are you open on Monday?').first().waitFor();

			await panel.close();
			await canvas.publish();
			await subscribed(world, '/webhook/');
			world.service.receiveMessage({ body: 'And on Tuesday?' });
			await ranInProduction(world, id);
			await executions.openNewest();
			await canvas.open('Messaging Service Trigger');
			await panel.output.root.getByText('And on Tuesday?').first().waitFor();
		}),
	);
}
