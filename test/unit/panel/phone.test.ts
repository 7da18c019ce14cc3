import fc from 'fast-check';
import { isPhoneMatch, normalizePhone } from '../../../nodes/MessagingService/panel/phone';

describe('normalizePhone', () => {
	test.each([
		['+1 (555) 555-0100', '+15555550100'],
		['+1.555.555.0100', '+15555550100'],
		['+1\u00a0555\u2011555\u20130100', '+15555550100'],
		['+15555550100', '+15555550100'],
		['001 555 555 0100', '+15555550100'],
		['+44 (0)20 7946 0958', '+442079460958'],
	])('writes %j as %j', (phone, expected) => {
		expect(normalizePhone(phone)).toBe(expected);
	});

	test.each(['(555) 555-0100', '15555550100', '+1 555 CALL', '+', '+1', `+${'5'.repeat(16)}`, ''])(
		'leaves %j to the service',
		(phone) => {
			expect(normalizePhone(phone)).toBe(phone);
		},
	);

	test('changes no digit but a "00" before the country code, and settles at once', () => {
		const phones = fc.string({ unit: fc.constantFrom(...'+0123456789 .-x\u2013') });
		fc.assert(
			fc.property(phones, (phone) => {
				const once = normalizePhone(phone);
				expect(normalizePhone(once)).toBe(once);
				const digits = phone.replace(/\D/g, '');
				expect([digits, digits.replace(/^00/, '')]).toContain(once.replace(/\D/g, ''));
			}),
			{ numRuns: 500, examples: [['004056997']] },
		);
	});
});

test.each([
	['+15555550100', '+1 555 555 0100', true],
	['+15555550100', '5550100', true],
	['+15555550100', '0101', false],
	[undefined, '0100', false],
	[15555550100, '0100', true],
])('whether %j is what "%s" looks for: %p', (phone, filter, expected) => {
	expect(isPhoneMatch(phone, filter)).toBe(expected);
});
