import { readPhones, toPhone } from '../../../nodes/MessagingService/panel/phoneField';
import { failureOf, parametersOf } from '../helpers/parameters';

const FIELD = { displayName: 'Phone', name: 'phone', type: 'string', default: '' } as const;
const values = (phone: unknown) => parametersOf({ phone });

test.each([
	['where it is empty', '(555) 555-0142', '', true],
	['where it is set', '0044 20 7946 0958', '1', false],
	['where there is none', '(555) 555-0142', undefined, false],
	['where the text is no number', 'call me', '', false],
])('whether a default country code is advised %s: %s, %j, %j', (_where, text, code, isAdvised) => {
	const { description } = failureOf(() => toPhone(values(text), FIELD, text, code));
	expect(description.includes('Or set "Default Country Code".')).toBe(isAdvised);
});

test('numbers that select messages may be several, and a blank in front of one may have been a "+"', () => {
	const numbers = ['+15555550142', '+15555550143'];
	expect(readPhones(values(' +1 (555) 555-0142,+15555550143'), FIELD, '')).toEqual(numbers);
	expect(readPhones(values(numbers), FIELD, '')).toEqual(numbers);
	const { message } = failureOf(() => readPhones(values(' 15555550142'), FIELD, '49'));
	expect(message).toContain('may be +4915555550142 or +15555550142');
});
