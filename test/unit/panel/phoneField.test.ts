import { readPhones, toPhone } from '../../../nodes/MessagingService/panel/phoneField';
import { failureOf, parametersOf } from '../helpers/parameters';

test.each([
	['where it is empty', '(555) 555-0142', '', true],
	['where it is set', '0044 20 7946 0958', '1', false],
	['where there is none', '(555) 555-0142', undefined, false],
])('whether a default country code is advised %s: %s, %j, %j', (_where, text, code, isAdvised) => {
	const problem = failureOf(() => toPhone(parametersOf({}), { displayName: 'Phone' }, text, code));
	expect(problem.message).toMatch(/does not begin with "\+" and a country code/);
	expect(problem.description.includes('set "Default Country Code"')).toBe(isAdvised);
});

test('where numbers select messages, the default country code is advised as an option', () => {
	const values = parametersOf({ phone: '(555) 555-0142' });
	const field = { displayName: 'Phone', name: 'phone', type: 'string', default: '' } as const;
	const { description } = failureOf(() => readPhones(values, field, ''));
	expect(description).toContain('Or set the option "Default Country Code".');
});
