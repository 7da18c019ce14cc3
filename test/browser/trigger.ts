import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { SECRET } from '../e2e/events.ts';
import { inEditor, type World } from './world.ts';

async function subscribed({ service }: World, part: string): Promise<void> {
	await until('it is subscribed', () =>
		service.subscriptions().some(({ url }) => url.includes(part)),
	);
}

async function ranInProduction({ n8n }: World, id: string): Promise<void> {
	await until('it ran', async () => {
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
			await world.changeCredential({ webhookSecret: SECRET });
			await world.service.configure({
				events: { signing: { kind: 'sharedSecret', secret: SECRET } },
			});
			const id = await world.editor.newWorkflow();
			await nodeCreator.open();
			await nodeCreator.search('messaging');
			await nodeCreator.entry('Messaging Service').click();
			await nodeCreator.action('On new Messaging Service event').click();
			await panel.chooseCredential(world.credential.name);
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
