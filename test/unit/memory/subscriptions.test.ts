import type { IDataObject } from 'n8n-workflow';
import {
	resetSubscriptions,
	type Subscription,
	SubscriptionMemory,
	type Unconfirmed,
} from '../../../nodes/MessagingService/memory/subscriptions';

beforeEach(resetSubscriptions);

const memoryIn = (data: IDataObject) =>
	new SubscriptionMemory({
		getWorkflowStaticData: (scope: string) => (scope === 'node' ? data : {}),
	});

const subscriptionWith = (more: Partial<Subscription> = {}): Subscription => ({
	address: 'https://n8n.example.com/webhook/1',
	id: '1',
	events: ['a'],
	path: '/hooks',
	test: false,
	shown: false,
	...more,
});

const production = subscriptionWith();
const test1 = subscriptionWith({
	address: 'https://n8n.example.com/test',
	id: '2',
	test: true,
	shown: true,
});

test('subscriptions are remembered in the static data', () => {
	const data: IDataObject = {};
	for (const each of [production, test1]) memoryIn(data).remember(each);
	expect(data).toEqual({ subscriptions: [production, test1] });
	resetSubscriptions();
	const memory = memoryIn(structuredClone(data));
	expect(memory.ofAddress(production.address)).toEqual(production);
	expect(memory.ofAddress('https://elsewhere.example.com')).toBeUndefined();
	expect(memory.ofUse({ test: false })).toEqual([production]);
	expect(memory.ofUse({ test: true })).toEqual([test1]);
});

test('what is stored is not changed along with what was remembered', () => {
	const data: IDataObject = {};
	const own = { ...production };
	memoryIn(data).remember(own);
	own.id = 'changed';
	expect(data).toEqual({ subscriptions: [production] });
});

test('those of this process are known by their address, even if the static data are lost', () => {
	memoryIn({}).remember(production);
	const data: IDataObject = {};
	const memory = memoryIn(data);
	expect(memory.ofAddress(production.address)).toEqual(production);
	expect(memory.ofUse({ test: false })).toEqual([]);
	memory.keep('https://elsewhere.example.com');
	expect(data).toEqual({});
	for (let times = 0; times < 2; times++) memory.keep(production.address);
	expect(data).toEqual({ subscriptions: [production] });
});

test('what is stored comes before what this process knows', () => {
	memoryIn({}).remember(subscriptionWith({ id: 'older' }));
	const data = { subscriptions: [{ ...production }] };
	expect(memoryIn(data).ofAddress(production.address)?.id).toBe('1');
});

test('is forgotten where it is known, and nothing else is', () => {
	const data: IDataObject = {};
	const memory = memoryIn(data);
	const elsewhere = subscriptionWith({ address: 'https://other.example.com', path: '/other' });
	for (const each of [production, test1, elsewhere]) memory.remember(each);
	memory.forget(production);
	expect(data).toEqual({ subscriptions: [test1, elsewhere] });
	expect(memory.ofAddress(production.address)).toBeUndefined();
	expect(memoryIn({}).ofAddress(elsewhere.address)).toEqual(elsewhere);
	memory.forget(subscriptionWith({ address: elsewhere.address, id: 'another' }));
	expect(memoryIn({}).ofAddress(elsewhere.address)).toEqual(elsewhere);
});

test('is forgotten after a restart too', () => {
	const data: IDataObject = {};
	memoryIn(data).remember(production);
	resetSubscriptions();
	memoryIn(data).forget(production);
	expect(data).toEqual({ subscriptions: [] });
	expect(memoryIn(data).ofAddress(production.address)).toBeUndefined();
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['no list', { 0: production }],
	['no object', ['x', null, 5]],
	['no address', [{ ...production, address: 5 }]],
	['no ID', [{ ...production, id: undefined }]],
	['no path', [{ ...production, path: null }]],
	['no events', [{ ...production, events: 'a' }]],
])('%s in the static data is no subscription', (_what, subscriptions) => {
	const data = { subscriptions } as IDataObject;
	const memory = memoryIn(data);
	expect(memory.ofUse({ test: false })).toEqual([]);
	expect(memory.ofAddress(production.address)).toBeUndefined();
	memory.remember(test1);
	expect(data).toEqual({ subscriptions: [test1] });
});

test('events are texts, and what is not said to be a test is none', () => {
	const subscriptions = [{ ...production, events: [1, 'a'], test: 'yes', shown: 'yes', more: 1 }];
	expect(memoryIn({ subscriptions } as IDataObject).ofUse({ test: false })).toEqual([
		{ ...production, events: ['1', 'a'] },
	]);
});

test('what was removed stays so, although a call writes it back', () => {
	const data: IDataObject = {};
	memoryIn(data).remember(production);
	const overwritten = structuredClone(data);
	memoryIn(data).forget(production);
	expect(memoryIn(overwritten).ofAddress(production.address)).toBeUndefined();
	expect(memoryIn(overwritten).ofUse({ test: false })).toEqual([]);
	memoryIn(overwritten).remember(production);
	expect(memoryIn(overwritten).ofAddress(production.address)).toEqual(production);
	expect(memoryIn(overwritten).ofUse({ test: false })).toEqual([production]);
});

test('to remember a subscription again changes it', () => {
	const data: IDataObject = {};
	for (const shown of [false, true]) memoryIn(data).remember({ ...production, shown });
	expect(data).toEqual({ subscriptions: [{ ...production, shown: true }] });
	expect(memoryIn(data).isStored(production)).toBe(true);
	expect(memoryIn({}).isStored(production)).toBe(false);
});

describe('what may be left at the service', () => {
	const { address, events, path, test: isTest } = production;
	const unconfirmedWith = (more: Partial<Unconfirmed> = {}): Unconfirmed => ({
		address,
		events,
		path,
		test: isTest,
		isMade: true,
		answer: { uuid: '7' },
		askedAt: 5,
		attempt: 2,
		enteredId: '',
		...more,
	});

	test('is remembered in the static data, for production and for tests', () => {
		const data: IDataObject = {};
		const forTest = unconfirmedWith({
			address: test1.address,
			test: true,
			id: '9',
			isMade: false,
			enteredId: '8',
		});
		for (const each of [unconfirmedWith(), forTest]) memoryIn(data).rememberUnconfirmed(each);
		resetSubscriptions();
		const memory = memoryIn(structuredClone(data));
		// The address of n8n may have changed.
		const moved = 'https://elsewhere.example.com';
		expect(memory.unconfirmed({ address: moved, test: false })).toEqual(unconfirmedWith());
		expect(memory.unconfirmed({ address: moved, test: true })).toEqual(forTest);
		memory.forgetUnconfirmed(production);
		expect(memory.unconfirmed(production)).toBeUndefined();
		expect(memory.unconfirmed(test1)).toEqual(forTest);
	});

	test('is known in this process, and stored when it is asked for', () => {
		memoryIn({}).rememberUnconfirmed(unconfirmedWith());
		const data: IDataObject = {};
		expect(memoryIn(data).unconfirmed(test1)).toBeUndefined();
		expect(data).toEqual({});
		expect(memoryIn(data).unconfirmed(production)).toEqual(unconfirmedWith());
		expect(data).toEqual({ unconfirmed: [unconfirmedWith()] });
		memoryIn(data).forgetUnconfirmed(production);
		expect(data).toEqual({});
		expect(memoryIn({}).unconfirmed(production)).toBeUndefined();
	});

	test('is read with care', () => {
		const unclear = { events, address, path, id: 5, answer: { a: 1 } };
		const data = { unconfirmed: [null, { address }, unclear] } as IDataObject;
		const read = unconfirmedWith({ answer: { a: '1' }, askedAt: 0, attempt: 1 });
		expect(memoryIn(data).unconfirmed(production)).toEqual(read);
		const forTest = unconfirmedWith({ test: true });
		memoryIn(data).rememberUnconfirmed(forTest);
		expect(data).toEqual({ unconfirmed: [read, forTest] });
	});

	test('is the latest', () => {
		const data: IDataObject = {};
		for (const attempt of [1, 2]) memoryIn(data).rememberUnconfirmed(unconfirmedWith({ attempt }));
		expect(memoryIn(data).unconfirmed(production)).toEqual(unconfirmedWith({ attempt: 2 }));
	});

	test.each([
		['https://moved.example.com/n8n/webhook/ab/c', true],
		['https://n8n.example.com/webhook/1b/c', false],
		['https://n8n.example.com/webhook/a/bc', false],
	])(
		'is known in this process by the trigger, wherever n8n is reached: %s, %p',
		(moved, isKnown) => {
			const here = 'https://n8n.example.com/webhook/ab/c';
			memoryIn({}).rememberUnconfirmed(unconfirmedWith({ address: here }));
			const found = memoryIn({}).unconfirmed({ address: moved, test: false });
			expect(found?.address).toBe(isKnown ? here : undefined);
		},
	);
});

test('this process knows the latest 1,000', () => {
	const address = (index: number) => `https://n8n.example.com/${index}`;
	const remember = (index: number) =>
		memoryIn({}).remember(subscriptionWith({ address: address(index) }));
	for (let index = 0; index < 1_000; index++) remember(index);
	remember(0);
	remember(1_000);
	expect(memoryIn({}).ofAddress(address(1))).toBeUndefined();
	for (const known of [0, 2, 1_000]) expect(memoryIn({}).ofAddress(address(known))).toBeDefined();
});
