import type { IDataObject } from 'n8n-workflow';
import { readEventNames } from '../../../nodes/MessagingService/trigger/filters';
import { readOptions } from '../../../nodes/MessagingService/trigger/options';
import { readRegistration } from '../../../nodes/MessagingService/trigger/registration/settings';
import { properties, readSettings } from '../../../nodes/MessagingService/trigger/settings';
import { membersWith, panelWith, problemOf } from './panel';

const optionsWith = (options: IDataObject) => readOptions(membersWith(options));

test('with nothing filled in, all events but outbound ones start the workflow, each delivery once', () => {
	expect(readSettings(panelWith({}))).toEqual({
		verification: expect.anything(),
		filters: {
			events: [],
			eventField: 'event',
			ignoreOutbound: true,
			inboundField: 'inbound',
			inboxIds: [],
			inboxField: 'inboxId',
		},
		duplicates: { header: '', field: '' },
		options: { fullRequest: false, responseBody: undefined },
	});
});

test('what is added to a collection is off unless it is turned on', () => {
	expect(optionsWith({ fullRequest: true }).fullRequest).toBe(true);
	for (const fullRequest of [false, 'true', 1, null])
		expect(optionsWith({ fullRequest }).fullRequest).toBe(false);
});

test('the panel says nothing about a secret where there is none', () => {
	const notice = properties.find(({ name }) => name === 'registrationNotice');
	expect(notice?.displayName).toContain('"Webhook Secret"');
	expect(notice?.displayOptions?.hide).toEqual({ verification: ['none'] });
});

describe('events', () => {
	test.each<[unknown, string[]]>([
		[[], []],
		[
			['b', 'a', 'b'],
			['a', 'b'],
		],
		[[' a '], ['a']],
		['a, b', ['a', 'b']],
		[
			['a,b', 'c'],
			['a', 'b', 'c'],
		],
		[undefined, []],
		[null, []],
		[5, ['5']],
		['a, ', ['a']],
	])('%j', (events, expected) => {
		expect(readEventNames(panelWith({ events } as IDataObject))).toEqual(expected);
	});
});

describe('how calls are answered', () => {
	test.each<[string, unknown]>([
		['', undefined],
		['  ', undefined],
		['{"received": true}', { received: true }],
		['[1]', [1]],
		['ok', 'ok'],
		['{broken', '{broken'],
	])('with the body %j', (responseBody, expected) => {
		expect(optionsWith({ responseBody }).responseBody).toEqual(expected);
	});

	test('with a status of success', () => {
		for (const responseCode of [undefined, null, 0, '', 200, 202, '204'])
			expect(() => optionsWith({ responseCode } as IDataObject)).not.toThrow();
	});

	test.each([302, 404, 199, 200.5, 'x'])(
		'but not with %s, after which the service would deliver the event again',
		(responseCode) => {
			expect(problemOf(() => optionsWith({ responseCode })).message).toMatch(
				/^"Response Code" has to be/,
			);
		},
	);
});

describe('automatic registration', () => {
	const read = (parameters: IDataObject) =>
		readRegistration(panelWith({ registration: 'automatic', ...parameters }));

	test('has names that can be changed', () => {
		expect(read({ subscriptionPath: ' public/webhooks/ ' })).toEqual({
			path: '/public/webhooks',
			urlField: 'url',
			eventsField: 'events',
			idField: 'id',
			secretField: '',
		});
		const subscription = {
			urlField: 'data.callback',
			eventsField: 'data.topics',
			idField: ' data.uuid ',
			secretField: 'data.signing_secret',
		};
		expect(read({ subscriptionPath: '/hooks', subscription })).toEqual({
			path: '/hooks',
			...subscription,
			idField: 'data.uuid',
		});
	});

	test('wants a path', () => {
		for (const subscriptionPath of ['', '  ', '/', undefined]) {
			const problem = problemOf(() => read({ subscriptionPath }));
			expect(problem.message).toBe('"Subscription Path" is empty');
		}
	});

	test('is off by default, and nothing else than off or on', () => {
		for (const registration of [undefined, 'manual'])
			expect(readRegistration(panelWith({ registration }))).toBeUndefined();
		const { message } = problemOf(() => read({ registration: 'auto' }));
		expect(message).toBe('"Registration" has an unknown value: "auto"');
	});
});
