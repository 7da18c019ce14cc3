import { readPath } from '../../../nodes/MessagingService/api/json';

test.each<[string, unknown]>([
	['id', 'e1'],
	['data.message.text', 'hi'],
	['missing.id', undefined],
	['id.length', undefined],
	['list.0', 'a'],
	['list.1', undefined],
	['list.length', undefined],
	['', undefined],
	['__proto__', undefined],
	['data.constructor.name', undefined],
])('reads "%s" as %j', (path, value) => {
	expect(readPath({ id: 'e1', data: { message: { text: 'hi' } }, list: ['a'] }, path)).toBe(value);
});
