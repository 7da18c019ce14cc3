import type { IDataObject } from 'n8n-workflow';
import { AddressList } from '../../../nodes/MessagingService/trigger/addresses';
import {
	checkSignature,
	readAllowedAddresses,
	readEvents,
	readFilters,
	readReception,
	readSubscription,
	readVerification,
} from '../../../nodes/MessagingService/trigger/settings';
import { failureOf } from '../helpers/parameters';
import { triggerWith } from './triggerContext';

describe('with nothing filled in', () => {
	const trigger = triggerWith({});

	test('a shared secret in a header is wanted', () => {
		expect(readVerification(trigger)).toEqual({
			kind: 'sharedSecret',
			place: 'header',
			name: 'X-Webhook-Secret',
		});
	});

	test('all events start the workflow, each delivery anew', () => {
		expect(readFilters(trigger)).toEqual({
			events: [],
			eventField: 'event',
			inboundOnly: false,
			inboundField: 'inbound',
			inboxIds: [],
			inboxField: 'inboxId',
			conditions: [],
		});
		expect(readReception(trigger)).toEqual({
			responseBody: undefined,
			fullRequest: false,
			deliveryField: undefined,
		});
		expect(readAllowedAddresses(trigger)).toBeUndefined();
	});

	test('the address is entered at the service by hand', () => {
		expect(readSubscription(trigger)).toBeUndefined();
	});
});

describe('verification', () => {
	test.each<[string, IDataObject, object]>([
		['none', { verification: 'none' }, { kind: 'none' }],
		[
			'a header of another name',
			{ headerName: ' Authorization ' },
			{ kind: 'sharedSecret', place: 'header', name: 'Authorization' },
		],
		[
			'a header without a name',
			{ headerName: '  ' },
			{ kind: 'sharedSecret', place: 'header', name: 'X-Webhook-Secret' },
		],
		[
			'a query parameter',
			{ secretIn: 'query', parameterName: 'key', headerName: 'X-Other' },
			{ kind: 'sharedSecret', place: 'query', name: 'key' },
		],
		[
			'a query parameter without a name',
			{ secretIn: 'query', parameterName: '' },
			{ kind: 'sharedSecret', place: 'query', name: 'secret' },
		],
		[
			'a signature',
			{ verification: 'hmac' },
			{
				kind: 'hmac',
				header: 'X-Signature',
				algorithm: 'sha256',
				encoding: 'hex',
				prefix: '',
				secretEncoding: 'utf8',
				timestampHeader: '',
				tolerance: 300,
				signedContent: '{body}',
			},
		],
		[
			'a signature of another kind',
			{
				verification: 'hmac',
				signatureHeader: 'X-Hub-Signature',
				signature: {
					algorithm: 'sha512',
					encoding: 'base64',
					prefix: 'sha512=',
					secretEncoding: 'hex',
					timestampHeader: 'X-Time',
					tolerance: 60,
					signedContent: '{timestamp}.{body}',
				},
			},
			{
				kind: 'hmac',
				header: 'X-Hub-Signature',
				algorithm: 'sha512',
				encoding: 'base64',
				prefix: 'sha512=',
				secretEncoding: 'hex',
				timestampHeader: 'X-Time',
				tolerance: 60,
				signedContent: '{timestamp}.{body}',
			},
		],
		[
			'a signature with what there is not',
			{
				verification: 'hmac',
				signatureHeader: '',
				signature: { algorithm: 'md5', encoding: 'x', secretEncoding: 5, tolerance: 'x' },
			},
			{ header: 'X-Signature', algorithm: 'sha256', encoding: 'hex', tolerance: 300 },
		],
		['what there is not', { verification: 'everything' }, { kind: 'sharedSecret' }],
	])('reads %s', (_what, parameters, expected) => {
		expect(readVerification(triggerWith(parameters))).toMatchObject(expected);
	});

	test.each<[string, IDataObject, string]>([
		['the body is not part of', { signedContent: '{timestamp}', timestampHeader: 'X-T' }, '{body}'],
		['the time is part of, but not sent', { signedContent: '{timestamp}.{body}' }, 'Timestamp'],
	])('refuses a signature that %s', (_what, signature, word) => {
		const trigger = triggerWith({ verification: 'hmac', signature });
		const error = failureOf(() => checkSignature(trigger, readVerification(trigger)));
		expect(error.message).toContain(word);
		expect(error.description).toMatch(/nter/);
	});

	test('accepts every other signature, and what is none', () => {
		const parameters: IDataObject[] = [
			{},
			{ verification: 'none' },
			{ verification: 'hmac' },
			{ verification: 'hmac', signature: { timestampHeader: 'X-T' } },
			{
				verification: 'hmac',
				signature: { timestampHeader: 'X-T', signedContent: 'v0:{timestamp}:{body}' },
			},
		];
		for (const each of parameters) {
			const trigger = triggerWith(each);
			expect(() => checkSignature(trigger, readVerification(trigger))).not.toThrow();
		}
	});
});

describe('allowed addresses', () => {
	const allowed = (allowedAddresses: unknown) =>
		readAllowedAddresses(triggerWith({ options: { allowedAddresses } as IDataObject }));

	test('are read', () => {
		const list = allowed('192.0.2.0/24, 2001:db8::1');
		expect(list).toBeInstanceOf(AddressList);
		expect(list?.has('192.0.2.9')).toBe(true);
		expect(list?.has('192.0.3.9')).toBe(false);
	});

	test('are all when there is no list', () => {
		for (const nothing of ['', '  ', undefined, null]) expect(allowed(nothing)).toBeUndefined();
	});

	test('name the entry that is wrong', () => {
		const error = failureOf(() => allowed('192.0.2.1, example.com'));
		expect(error.message).toContain('"example.com"');
		expect(error.description).toContain('192.0.2.0/24');
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
		expect(readEvents(triggerWith({ events } as IDataObject))).toEqual(expected);
	});
});

test('filters', () => {
	const filters = {
		eventField: 'type',
		inboundOnly: true,
		inboundField: 'in',
		inboxIds: [{ __rl: true, mode: 'list', value: 'i1' }, 'i2'],
		inboxField: 'box',
		conditions: {
			values: [
				{ field: ' status ', comparison: 'notEquals', value: ' sent ' },
				{ field: 'code', comparison: 'unknown', value: 5 },
				{ field: '', comparison: 'exists', value: '' },
				{ field: 'x', comparison: 'exists' },
			],
		},
	};
	expect(readFilters(triggerWith({ events: ['a'], filters }))).toEqual({
		events: ['a'],
		eventField: 'type',
		inboundOnly: true,
		inboundField: 'in',
		inboxIds: ['i1', 'i2'],
		inboxField: 'box',
		conditions: [
			{ field: 'status', comparison: 'notEquals', value: 'sent' },
			{ field: 'code', comparison: 'equals', value: '5' },
			{ field: 'x', comparison: 'exists', value: '' },
		],
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
		expect(readReception(triggerWith({ options: { responseBody } })).responseBody).toEqual(
			expected,
		);
	});

	test('and which deliveries are the same', () => {
		const field = (options: IDataObject) => readReception(triggerWith({ options })).deliveryField;
		expect(field({ skipDuplicates: true })).toBe('id');
		expect(field({ skipDuplicates: true, deliveryField: 'data.key' })).toBe('data.key');
		expect(field({ skipDuplicates: false, deliveryField: 'data.key' })).toBeUndefined();
		expect(field({ deliveryField: 'data.key' })).toBeUndefined();
	});
});

describe('automatic registration', () => {
	const read = (parameters: IDataObject) =>
		readSubscription(triggerWith({ registration: 'automatic', ...parameters }));

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
			idField: 'data.uuid',
			verifierField: 'data.signing_secret',
		};
		expect(read({ subscriptionPath: '/hooks', subscription })).toEqual({
			path: '/hooks',
			urlField: 'data.callback',
			eventsField: 'data.topics',
			idField: 'data.uuid',
			secretField: 'data.signing_secret',
		});
	});

	test('wants a path', () => {
		for (const subscriptionPath of ['', '  ', undefined]) {
			const error = failureOf(() => read({ subscriptionPath }));
			expect(error.message).toBe('"Subscription Path" is empty');
		}
	});
});
