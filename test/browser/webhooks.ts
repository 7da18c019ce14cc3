import { seeded } from '../../sandbox/service/service.ts';
import { inEditor } from './world.ts';

const [webhookId = ''] = seeded.demo.webhookIds;

/** Starting an agent. */
export function describeWebhooks(): void {
	it(
		'explains a wrong webhook ID, and starts the agent once it is right',
		inEditor(async ({ editor, action, openNode, service }) => {
			const { panel } = editor;
			await service.reset('log');
			await openNode(
				action('Text the lead', {
					resource: 'pipeline',
					operation: 'invokeWebhook',
					webhookId: { __rl: true, mode: 'id', value: webhookId.replace(/.$/, '9') },
					phone: '+15555550142',
				}),
			);
			await panel.execute();

			await panel.output.errorMessage
				.getByText('The messaging service does not find this webhook')
				.waitFor();
			const advice = await panel.output.errorDescription.innerText();
			expect(advice).toContain('copy its address from the agent builder again');
			expect(service.accepted()).toHaveLength(0);

			await panel.fill('webhookId', webhookId);
			await panel.execute();

			expect(await panel.output.rows()).toMatchObject([{ accepted: 'true', statusCode: '202' }]);
			expect(service.accepted().map(({ body }) => body)).toEqual([{ phone: '+15555550142' }]);
		}),
	);
}
