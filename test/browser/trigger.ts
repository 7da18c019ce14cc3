import { CREDENTIAL_TYPE } from '../../sandbox/demo/runExamples.ts';
import { createCredential } from '../../sandbox/n8n/credentials.ts';
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

/** The trigger, from its panel to an event that arrives. */
export function describeTrigger(): void {
	it(
		'shows an event while one builds the workflow, and starts the published one',
		inEditor(async (world) => {
			const { canvas, executions, nodeCreator, panel } = world.editor;
			const credential = await agreeOnSecret(world);
			await world.editor.newWorkflow();
			await nodeCreator.open();
			await nodeCreator.search('messaging');
			await nodeCreator.entry('Messaging Service').click();
			await nodeCreator.action('On new Messaging Service event').click();
			await panel.chooseCredential(credential);
			await panel.choose('registration', 'Automatic');
			await panel.fill('subscriptionPath', '/public/webhooks');

			await panel.start();
			await subscribed(world, '/webhook-test/');
			world.service.receiveMessage({ body: 'Are you open on Monday?' });
			await panel.output.finished();
			expect(await panel.output.root.innerText()).toContain('Are you open on Monday?');

			await panel.close();
			await canvas.publish();
			await subscribed(world, '/webhook/');
			world.service.receiveMessage({ body: 'And on Tuesday?' });
			await executions.open();
			await executions.showSucceeded();
			await canvas.open('Messaging Service Trigger');
			await panel.output.root.getByText('And on Tuesday?').first().waitFor();
		}),
	);

	it.failing(
		'lets one choose how events are verified',
		inEditor(async ({ editor, openNode, credential }) => {
			await openNode({
				name: 'Trigger',
				type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
				typeVersion: 1.1,
				credentials: { [CREDENTIAL_TYPE]: { ...credential } },
			});
			await editor.panel.field('secretIn').waitFor();
			expect(await editor.panel.field('verification').count()).toBe(1);
		}),
	);
}
