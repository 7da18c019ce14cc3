import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { receivingFields } from '../../../nodes/MessagingService/trigger/settings';
import { failureOf } from '../helpers/parameters';
import { settingsWith } from './panel';

const isField = (entry: object): entry is INodeProperties => 'default' in entry;

test('an option that is added has the value that it had before', () => {
	const fields = receivingFields.flatMap(({ name, options = [] }) =>
		name === 'options' ? options.filter(isField) : [],
	);
	expect(fields).toHaveLength(4);
	const options = Object.fromEntries(fields.map(({ name, default: value }) => [name, value]));
	const open = { verification: 'none' };
	expect(settingsWith({ ...open, options } as IDataObject)).toEqual(settingsWith(open));
});

test.each<[IDataObject, string]>([
	[{ events: ['a', ' '] }, '"Events" has an entry without a name'],
	[{ events: [','] }, '"Events" has an entry without a name'],
])('what is added without a value is refused: %j', (parameters, message) => {
	const problem = failureOf(() => settingsWith(parameters));
	expect(problem.message).toBe(message);
	expect(problem.description).toMatch(/, or remove the /);
});

test.each<[unknown, string[]]>([
	[undefined, []],
	[
		['b', 'a', 'b'],
		['a', 'b'],
	],
	['a, ', ['a']],
	[
		['a,b', 5],
		['5', 'a', 'b'],
	],
])('the events %j are read as %j', (events, expected) => {
	expect(settingsWith({ events } as IDataObject).filters.events).toEqual(expected);
});
