import type { IDataObject } from 'n8n-workflow';
import { readEvents } from '../../../nodes/MessagingService/trigger/filters';
import { readOptions, reasonOfAddress } from '../../../nodes/MessagingService/trigger/options';
import { readRegistration } from '../../../nodes/MessagingService/trigger/registration/settings';
import { properties, readSettings } from '../../../nodes/MessagingService/trigger/settings';
import { PanelValues } from '../../../nodes/MessagingService/trigger/panelValues';
import { panelWith, problemOf } from './panel';

const optionsWith = (options: IDataObject) => readOptions(PanelValues.in(options));

test('with nothing filled in, all events but outbound ones start the workflow, each delivery once', () => {
	expect(readSettings(panelWith({}))).toEqual({
		addressCheck: { kind: 'off' },
		verification: expect.objectContaining({ needsBody: false }),
		filters: {
			events: [],
			eventField: 'event',
			ignoreOutbound: true,
			inboundField: 'inbound',
			inboxIds: [],
			inboxField: 'inboxId',
			conditions: [],
		},
		duplicates: { header: '', field: '' },
		options: {
			allowedAddresses: undefined,
			fullRequest: false,
			responseBody: undefined,
			responseCode: 200,
		},
	});
});

test('what is added to a collection is off unless it is turned on', () => {
	expect(optionsWith({ fullRequest: true }).fullRequest).toBe(true);
	for (const fullRequest of [false, 'true', 1, null])
		expect(optionsWith({ fullRequest }).fullRequest).toBe(false);
});

describe('the panel', () => {
	const field = (name: string) => properties.find((each) => each.name === name);
	const optionsOf = (name: string) => field(name)?.options?.map((option) => option.name);
	const steps = (name: string) => [
		...(field(name)?.displayName ?? '').matchAll(/<ul>(.*?)<\/ul>/g),
	];

	test('has nothing but filters among the filters', () => {
		expect(optionsOf('filters')).toEqual(['conditions', 'inboxIds']);
		expect(optionsOf('options')).toEqual(
			expect.arrayContaining(['eventField', 'inboundField', 'inboxField', 'deliveryHeader']),
		);
	});

	test('tells the steps in order, the secret first', () => {
		const words = steps('manualStepsWithSecret').map(([, step = '']) => step);
		expect(words.map((step) => step.slice(0, 2))).toEqual(['1.', '2.', '3.', '4.']);
		expect(words[0]).toContain('"Webhook Secret"');
	});

	test('says nothing about a secret where there is none', () => {
		expect(field('manualSteps')?.displayName).not.toMatch(/secret/i);
		expect(steps('manualSteps')).toHaveLength(3);
		const { displayOptions } = field('manualStepsWithSecret') ?? {};
		expect(displayOptions?.hide).toEqual({ verification: ['none'] });
		expect(field('manualSteps')?.displayOptions?.show).toMatchObject({ verification: ['none'] });
	});
});

describe('allowed addresses', () => {
	const allowed = (allowedAddresses: unknown) =>
		optionsWith({ allowedAddresses } as IDataObject).allowedAddresses;

	test.each(['192.0.2.0/24, 2001:db8::1', '198.51.100.7 192.0.2.0/24\n203.0.113.1'])(
		'are read: %j',
		(text) => {
			const options = optionsWith({ allowedAddresses: text });
			expect(reasonOfAddress(options, { ip: '192.0.2.9' })).toBeUndefined();
			expect(reasonOfAddress(options, { ip: '192.0.3.9' })).toMatch(/not allowed to call/);
			expect(options.allowedAddresses).toHaveLength(text.split(/[ \n]/).length);
		},
	);

	test('are all when there is no list', () => {
		expect(allowed(undefined)).toBeUndefined();
	});

	test('are not all when the list is empty', () => {
		for (const nothing of ['', '  ', null, ',']) {
			const { message, description } = problemOf(() => allowed(nothing));
			expect(message).toBe('"Allowed Addresses" has no address');
			expect(description).toContain('remove the option');
		}
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

	test('and with which status', () => {
		expect(optionsWith({ responseCode: 202 }).responseCode).toBe(202);
		for (const responseCode of [undefined, null, 0, ''])
			expect(optionsWith({ responseCode } as IDataObject).responseCode).toBe(200);
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
