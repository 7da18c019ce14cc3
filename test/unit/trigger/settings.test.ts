import type { IDataObject } from 'n8n-workflow';
import { readEvents } from '../../../nodes/MessagingService/trigger/filters';
import { readOptions } from '../../../nodes/MessagingService/trigger/options';
import { readRegistration } from '../../../nodes/MessagingService/trigger/registration/settings';
import { readSettings } from '../../../nodes/MessagingService/trigger/settings';
import { panelWith, problemOf } from './panel';

const optionsWith = (options: IDataObject) => readOptions(panelWith({ options }));

test('with nothing filled in, all events start the workflow, each delivery anew', () => {
	expect(readSettings(panelWith({}))).toEqual({
		addressCheck: { kind: 'off' },
		verification: expect.objectContaining({ needsBody: false }),
		filters: {
			events: [],
			eventField: 'event',
			inboundOnly: false,
			inboundField: 'inbound',
			inboxIds: [],
			inboxField: 'inboxId',
			conditions: [],
		},
		options: {
			allowedAddresses: undefined,
			deliveryField: undefined,
			fullRequest: false,
			responseBody: undefined,
		},
	});
});

test('what is added to a collection is off unless it is turned on', () => {
	expect(optionsWith({ fullRequest: true }).fullRequest).toBe(true);
	for (const fullRequest of [false, 'true', 1, null])
		expect(optionsWith({ fullRequest }).fullRequest).toBe(false);
});

describe('allowed addresses', () => {
	const allowed = (allowedAddresses: unknown) =>
		optionsWith({ allowedAddresses } as IDataObject).allowedAddresses;

	test('are read', () => {
		const list = allowed('192.0.2.0/24, 2001:db8::1');
		expect(list?.has('192.0.2.9')).toBe(true);
		expect(list?.has('192.0.3.9')).toBe(false);
	});

	test('are all when there is no list', () => {
		for (const nothing of ['', '  ', undefined, null]) expect(allowed(nothing)).toBeUndefined();
	});

	test('name the entry that is wrong', () => {
		const { message, description } = problemOf(() => allowed('192.0.2.1, example.com'));
		expect(message).toBe('"Allowed Addresses" has an entry that is no IP address: "example.com"');
		expect(description).toContain('192.0.2.0/24');
	});
});

describe('events', () => {
	test.each<[unknown, string[]]>([
		[[], []],
		[
			['b', 'a', 'b'],
			['a', 'b'],
		],
		[[' a ', ''], ['a']],
		['a, b', ['a', 'b']],
		[
			['a,b', 'c'],
			['a', 'b', 'c'],
		],
		[undefined, []],
		[null, []],
		[5, ['5']],
		[[{ a: 1 }, 'a'], ['a']],
	])('%j', (events, expected) => {
		expect(readEvents(panelWith({ events } as IDataObject))).toEqual(expected);
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

	test('and which deliveries are the same', () => {
		const field = (options: IDataObject) => optionsWith(options).deliveryField;
		expect(field({ skipDuplicates: true })).toBe('id');
		expect(field({ skipDuplicates: true, deliveryField: 'data.key' })).toBe('data.key');
		expect(field({ skipDuplicates: false, deliveryField: 'data.key' })).toBeUndefined();
		expect(field({ deliveryField: 'data.key' })).toBeUndefined();
	});
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
			attempt: 1,
			subscriptionId: '',
		});
		const subscription = {
			urlField: 'data.callback',
			eventsField: 'data.topics',
			idField: 'data.uuid',
			verifierField: 'data.signing_secret',
			attempt: 2,
			subscriptionId: ' 42 ',
		};
		expect(read({ subscriptionPath: '/hooks', subscription })).toEqual({
			path: '/hooks',
			urlField: 'data.callback',
			eventsField: 'data.topics',
			idField: 'data.uuid',
			secretField: 'data.signing_secret',
			attempt: 2,
			subscriptionId: '42',
		});
	});

	test('wants a path', () => {
		for (const subscriptionPath of ['', '  ', undefined]) {
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
