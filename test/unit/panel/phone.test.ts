import fc from 'fast-check';
import { isPhoneMatch, normalizePhone } from '../../../nodes/MessagingService/panel/phone';

describe('normalizePhone', () => {
	test.each([
		['+1 (555) 555-0100', '+15555550100'],
		['+1.555.555.0100', '+15555550100'],
		['+1\u00a0555\u2011555\u20130100', '+15555550100'],
		['+15555550100', '+15555550100'],
	])('writes %j as %j', (phone, expected) => {
		expect(normalizePhone(phone)).toBe(expected);
	});

	test.each(['(555) 555-0100', '15555550100', '+1 555 CALL', '+', '+1', `+${'5'.repeat(16)}`, ''])(
		'leaves %j to the service',
		(phone) => {
			expect(normalizePhone(phone)).toBe(phone);
		},
	);

	test('changes no digit and settles at once', () => {
		const phones = fc.string({ unit: fc.constantFrom(...'+0123456789 ().-x\u2013') });
		fc.assert(
			fc.property(phones, (phone) => {
				const once = normalizePhone(phone);
				expect(normalizePhone(once)).toBe(once);
				expect(once.replace(/\D/g, '')).toBe(phone.replace(/\D/g, ''));
			}),
			{ numRuns: 500 },
		);
	});
});

test.each([
	['+15555550100', '+1 555 555 0100', true],
	['+15555550100', '5550100', true],
	['+15555550100', '0101', false],
	['+15555550100', 'any', true],
	[undefined, '0100', true],
	[15555550100, '0101', true],
])('whether %j may be what "%s" looks for: %p', (phone, filter, expected) => {
	expect(isPhoneMatch(phone, filter)).toBe(expected);
});
