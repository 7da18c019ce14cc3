/** The node in n8n's own editor, in a real browser. All share one n8n, which takes its time to start. */
import { listExecutions } from '../../sandbox/n8n/executions.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { START } from '../../sandbox/n8n/workflows.ts';
import { byId, known } from '../../sandbox/operations.ts';
import { seeded } from '../../sandbox/service/service.ts';
import { SECRET } from '../e2e/events.ts';
import { starting } from '../e2e/texting.ts';
import type { NodeCreator } from './editor/nodeCreator.ts';
import { inEditor, shareWorld, type World } from './world.ts';

/** Generous, for busy machines: a step of the editor that does not come ends a test sooner. */
jest.setTimeout(240_000);

const DISPLAY_NAME = 'Messaging Service';
// n8n leaves the word "Trigger" out where it lists what a node can do.
const POLLING_NAME = 'Messaging Service Polling';
/** What people look for who do not know the node. */
const SEARCHED = ['text contact', 'send message', 'phone number', 'incoming sms', 'otp'];
const { webhookId } = known;

/** Searches for something, after a search that finds nothing, so that no entry is left from before. */
async function expectFound(
	nodeCreator: NodeCreator,
	words: string,
	name = DISPLAY_NAME,
): Promise<void> {
	await nodeCreator.search('kubernetes');
	await nodeCreator.entry(name).waitFor({ state: 'hidden' });
	await nodeCreator.search(words);
	await nodeCreator.entry(name).waitFor();
}

shareWorld({
	// More inboxes than a page of the service has.
	service: { inboxes: 120, events: { signing: { kind: 'sharedSecret', secret: SECRET } } },
	credential: { data: { webhookSecret: SECRET } },
});

const inboxesOf = ({ service }: World) =>
	service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey)?.inboxes ?? [];

const untilSubscribed = async ({ service }: World, part: string) =>
	await until('it is subscribed', () =>
		service.subscriptions().some(({ url }) => url.includes(part)),
	);

const untilRunInProduction = async ({ n8n }: World, id: string) =>
	await until('it ran', async () => {
		const executions = await listExecutions(n8n.rest, { id });
		return executions.some(({ mode, status }) => mode === 'webhook' && status === 'success');
	});

inEditor(
	'The credential says what is wrong with a key, and is ready once the key is right',
	async ({ editor, action, openNode, service }) => {
		const { credential, panel } = editor;
		await openNode(action('Inboxes', { resource: 'inbox', operation: 'getAll' }));
		await panel.createCredential();
		await credential.field('baseUrl').fill(service.url);
		await credential.field('apiKey').fill('wrong-key');
		await credential.save();

		const problem = await credential.problem();
		expect(problem).toContain('does not accept the API key');
		expect(problem).toContain('in the API section of the team settings');
		expect(problem).not.toContain('wrong-key');

		await credential.field('apiKey').fill(seeded.demo.apiKey);
		await credential.save();
		await credential.closed();
	},
);

inEditor(
	'The list of nodes finds the node by what it is about, and adds it with the chosen action',
	async ({ editor, store }) => {
		const { canvas, nodeCreator, panel } = editor;
		await editor.openWorkflow((await store([START])).workflow.id);
		await nodeCreator.open();

		for (const words of SEARCHED) await expectFound(nodeCreator, words);
		// n8n lists the trigger and the node as one, by the aliases of the node alone.
		await expectFound(nodeCreator, 'message received');
		await expectFound(nodeCreator, 'on new messaging service event');
		await expectFound(nodeCreator, 'no public url', POLLING_NAME);

		await nodeCreator.search('messaging');
		await nodeCreator.entry(DISPLAY_NAME).click();
		await nodeCreator.action('Get many messages').click();
		await panel.ready();
		expect(await panel.value('resource')).toBe('Message');
		expect(await panel.value('operation')).toBe('Get Many');

		await panel.choose('resource', 'Agent');
		await panel.choose('operation', 'Start');
		await panel.field('phone').waitFor();
		await panel.field('limit').waitFor({ state: 'hidden' });

		await panel.close();
		// n8n names a node after what it does.
		await canvas.node('Start agent to text contact').waitFor();
	},
);

inEditor(
	'A list shows its fields to the next node, all inboxes to choose from, and filters by one that is found by typing',
	async (world) => {
		const { canvas, panel } = world.editor;
		const inboxes = inboxesOf(world);
		const inbox = inboxes[110];
		await world.openNode(
			world.action('Messages', { resource: 'message', operation: 'getAll', limit: 7 }),
			{ name: 'Next', type: 'n8n-nodes-base.noOp' },
		);
		const fields = await panel.input.previewFields();
		expect(fields).toEqual(expect.arrayContaining(['id', 'body', 'sender', 'status', 'inboxId']));

		await panel.close();
		await canvas.open('Messages');
		await panel.add('Add filter', 'Inboxes');
		await panel.openList('inboxIds');
		await panel.listEntries.nth(inboxes.length - 1).waitFor();
		await panel.pickFromOpenList(inbox?.name ?? '', `${inbox?.name} · ${inbox?.phone}`);
		await panel.execute();

		const rows = await panel.output.rows();
		expect(rows).toHaveLength(7);
		expect(new Set(rows.map(({ inboxId }) => inboxId))).toEqual(new Set([inbox?.id]));
	},
);

inEditor(
	'Message Template: Fill In has a field for each placeholder of the chosen template',
	async ({ editor, action, openNode }) => {
		const { panel } = editor;
		await openNode(action('Text', { resource: 'messageTemplate', operation: 'fillIn' }));

		await panel.pickFromList(
			'templateId',
			'lead',
			'Lead follow-up · Hi {{firstName}}, you asked about {{topic}}. Is {{ time }} today still good?',
		);
		await panel.fill('firstName', 'Ada');
		await panel.fill('topic', 'the spring offer');
		await panel.fill('time', '10 am');
		await panel.execute();
		const [row] = await panel.output.rows();
		expect(row).toMatchObject({
			text: 'Hi Ada, you asked about the spring offer. Is 10 am today still good?',
		});
	},
);

inEditor(
	'Agent: Start explains a wrong webhook ID, and starts the agent once it is right',
	async ({ editor, action, openNode, service }) => {
		const { panel } = editor;
		await service.reset('log');
		const wrong = byId(webhookId.replace(/.$/, '9'));
		await openNode(action('Text', starting({ webhook: wrong, phone: '+15555550142' })));
		await panel.execute();

		await panel.output.errorMessage
			.getByText('The messaging service cannot find this webhook')
			.waitFor();
		const advice = await panel.output.errorDescription.innerText();
		expect(advice).toContain('Copy its address from the agent builder again');
		expect(service.accepted()).toHaveLength(0);

		await panel.fill('webhook', webhookId);
		await panel.execute();

		expect(await panel.output.rows()).toMatchObject([
			{ outcome: 'accepted', phone: '+15555550142' },
		]);
		expect(service.accepted().map(({ body }) => body)).toEqual([{ phone: '+15555550142' }]);
	},
);

inEditor(
	'The trigger shows an event while one builds the workflow, and starts the published one',
	async (world) => {
		const { canvas, nodeCreator, panel } = world.editor;
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
		await untilSubscribed(world, '/webhook-test/');
		world.service.receiveMessage({ body: 'Are you open on Monday?' });
		await panel.output.root.getByText('Are you open on Monday?').first().waitFor();

		await panel.close();
		await canvas.publish();
		await untilSubscribed(world, '/webhook/');
		world.service.receiveMessage({ body: 'And on Tuesday?' });
		await untilRunInProduction(world, id);
	},
);
