import type { IDataObject } from 'n8n-workflow';
import { readEventNames } from '../../../nodes/MessagingService/trigger/filters';
import { readOptions } from '../../../nodes/MessagingService/trigger/options';
import { membersWith, panelWith, problemOf } from './panel';

const optionsWith = (options: IDataObject) => readOptions(membersWith(options));

describe('events', () => {
	test.each<[unknown, string[]]>([
		[[], []],
		[
			['b', 'a', 'b'],
			['a', 'b'],
		],
		['a, b', ['a', 'b']],
		[
			['a,b', 'c'],
			['a', 'b', 'c'],
		],
		[undefined, []],
		[5, ['5']],
		['a, ', ['a']],
	])('%j', (events, expected) => {
		expect(readEventNames(panelWith({ events } as IDataObject))).toEqual(expected);
	});
});

describe('how calls are answered', () => {
	test.each<[string, unknown]>([
		['', undefined],
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
