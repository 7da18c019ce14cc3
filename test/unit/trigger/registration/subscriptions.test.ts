import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import type { Http } from '../../../../nodes/MessagingService/api/request';
import { SubscriptionMemory } from '../../../../nodes/MessagingService/memory/subscriptions';
import { Subscriptions } from '../../../../nodes/MessagingService/trigger/registration/subscriptions';
import { clientOf, failure, response } from '../../helpers/api';
import { fake } from '../../helpers/fake';
import { VirtualClock } from '../../helpers/virtualClock';

const ADDRESS = 'https://n8n.example.com/webhook/w';
const SETTINGS = { urlField: 'url', eventsField: 'events', idField: 'id', secretField: '' };

test('a slow list leaves the request for a subscription its time', async () => {
	const clock = new VirtualClock();
	const needed = 4_000;
	const http: Http = async ({ method, url, timeout }) => {
		await clock.wait(Math.min(needed, timeout));
		if (timeout < needed) return failure('timeout');
		if (method === 'POST') return response(201, '{"id":"s1"}');
		const isLast = url.includes('page=2');
		const links = isLast ? {} : { next: '/api/hooks?page=2' };
		return response(200, JSON.stringify({ data: [], links }));
	};
	const data: IDataObject = {};
	const context = fake<IHookFunctions>({ getWorkflowStaticData: () => data });
	const subscriptions = new Subscriptions(
		clientOf(http, clock),
		new SubscriptionMemory(context, ADDRESS),
		{ address: ADDRESS, events: [], secret: '', settings: { path: '/hooks', ...SETTINGS } },
	);
	await clock.run(subscriptions.ensure());
	expect(data.subscription).toMatchObject({ id: 's1', address: ADDRESS });
});
