import { isAmong } from '../../../nodes/MessagingService/api/text';
import { readInboxIds } from '../../../nodes/MessagingService/panel/ids';
import { failureOf, parametersOf } from '../helpers/parameters';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';

const read = (value: unknown) => readInboxIds(parametersOf({ inboxIds: value }));
const picked = (value: unknown) => ({ __rl: true, mode: 'list', value });

test.each([
	['nothing', undefined, []],
	['pickers, one of them empty', [picked(A), picked('')], [A]],
	['pickers as the panel keeps several', { value: [picked(A), picked(B)] }, [A, B]],
	['IDs separated by commas', `${A}, ${B},`, [A, B]],
	['a list of inboxes', [{ id: A }, { id: B, phone: '+15555550100' }], [A, B]],
	['lists in lists, with gaps', [[A], null, [[B]]], [A, B]],
	['the same ID again', [A, picked(A), `${A},${B}`], [A, B]],
])('reads %s', (_name, value, expected) => {
	expect(read(value)).toEqual(expected);
});

test.each([['Sales'], [`${A};${B}`], [[A, 'Sales']]])('refuses %j', (value) => {
	const error = failureOf(() => read(value));
	expect(error.message).toBe('"Inboxes" is not a valid ID');
	expect(error.description).toMatch(/from the list/);
});

test('an ID is known in upper or lower case', () => {
	const id = '123e4567-e89b-12d3-a456-426614174000';
	expect(isAmong([A, id.toUpperCase()], id)).toBe(true);
	expect(isAmong([A, id], id.toUpperCase())).toBe(true);
	expect(isAmong([A], id)).toBe(false);
});
