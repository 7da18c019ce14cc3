import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { triggerOptionsField } from '../../../nodes/MessagingService/trigger/options';
import { failureOf } from '../helpers/parameters';
import { optionsWith } from './panel';

const isField = (entry: object): entry is INodeProperties => 'default' in entry;

test('an option that is added has the value that it had before', () => {
	const fields = (triggerOptionsField.options ?? []).filter(isField);
	expect(fields).toHaveLength(8);
	for (const { name, default: value } of fields)
		expect(optionsWith({ [name]: value } as IDataObject)).toEqual(optionsWith({}));
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
			expect(failureOf(() => optionsWith({ responseCode })).message).toMatch(
				/^"Response Code" has to be/,
			);
		},
	);
});
