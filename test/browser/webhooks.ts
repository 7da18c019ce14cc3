import { seeded } from '../../sandbox/service/service.ts';
import { byId, invoking } from '../e2e/texting.ts';
import { inEditor } from './world.ts';

const [webhookId = ''] = seeded.demo.webhookIds;

/** Starting an agent. */
export function describeWebhooks(): void {
	it(
		'explains a wrong webhook ID, and starts the agent once it is right',
		inEditor(async ({ editor, action, openNode, service }) => {
			const { panel } = editor;
			await service.reset('log');
			const wrong = byId(webhookId.replace(/.$/, '9'));
			await openNode(action('Text', invoking({ webhookId: wrong, phone: '+15555550142' })));
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
