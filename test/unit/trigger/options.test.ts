import type { IDataObject } from 'n8n-workflow';
import { readOptions } from '../../../nodes/MessagingService/trigger/options';
import { membersWith, problemOf } from './panel';

const optionsWith = (options: IDataObject) => readOptions(membersWith(options));

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
