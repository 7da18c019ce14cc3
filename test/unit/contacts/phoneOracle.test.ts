/** That the rules for phone numbers agree with libphonenumber, for all countries. */
import fc from 'fast-check';
import {
	getCountries,
	getExampleNumber,
	parsePhoneNumberFromString,
	type PhoneNumber,
} from 'libphonenumber-js/max';
import { isValidPhoneNumber } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';

import { toE164 } from '../../../nodes/MessagingService/contacts/phone';

/** The mobile number that libphonenumber has as an example of each country. */
const mobiles = getCountries().map((country) => {
	const example = getExampleNumber(country, examples);
	if (!example) throw new Error(`There is no example of ${country}`);
	return { example, country, code: example.countryCallingCode, number: example.number };
});

/** The ways to write a number that are all right, with its country code as the default. */
const WAYS: Record<string, (example: (typeof mobiles)[number]['example']) => string> = {
	'in full': ({ number }) => number,
	'in full, with spaces': (example) => example.formatInternational(),
	'without its country code': ({ nationalNumber }) => nationalNumber,
	'as at home': (example) => example.formatNational(),
	'without "+"': ({ number }) => number.slice(1),
};

test('a right number is recognized, or refused where it can be read in two ways', () => {
	const refused: string[] = [];
	for (const { example, country, code, number } of mobiles) {
		for (const [way, write] of Object.entries(WAYS)) {
			const read = toE164(write(example), code);
			if (typeof read === 'string') expect([country, way, read]).toEqual([country, way, number]);
			else refused.push(`${country} ${way}`);
		}
	}
	expect(mobiles.length).toBeGreaterThan(240);
	// At home, a mobile number of Argentina is dialed with digits that are not those after "+".
	expect(refused).toEqual(['AR as at home', 'DE without "+"', 'ID without "+"', 'XK without "+"']);
});

test('a mobile number without "+" is not taken for one of another country', () => {
	const codes = [...new Set(mobiles.map(({ code }) => code))];
	const pairs = mobiles.flatMap((mobile) =>
		codes.filter((code) => code !== mobile.code).map((code) => ({ ...mobile, own: code })),
	);
	const passed = pairs.flatMap(({ number, own }) => {
		const read = toE164(number.slice(1), own);
		return typeof read === 'string' && read !== number ? [read] : [];
	});
	// Of +1, each number counts as a mobile one, also behind an area code that does not exist yet, such as 555.
	const existing = passed.filter((number) => parsePhoneNumberFromString(number)?.isValid());
	const refused = mobiles.filter(
		({ example, code, number }) => toE164(example.nationalNumber, code) !== number,
	);
	console.log(
		`Of ${pairs.length} mobile numbers of other countries, ${passed.length} pass as own ones, ${existing.length} of them as numbers that exist. Of ${mobiles.length} own ones, ${refused.length} are refused.`,
	);
	expect(pairs.length).toBeGreaterThan(50_000);
	expect(passed.length).toBeLessThan(300);
	expect(existing.length).toBeLessThan(260);
	expect(refused).toEqual([]);
});

test('a mobile number without its last digits is refused, unless it may be another number', () => {
	const cuts = mobiles.flatMap(({ number }) => [1, 2, 3].map((count) => number.slice(0, -count)));
	const passed = cuts.filter((cut) => typeof toE164(cut) === 'string');
	expect(cuts.length).toBeGreaterThan(700);
	expect(passed.length).toBeLessThan(50);
});

test('"00" is read as "+" where the default country dials so', () => {
	for (const { example, number } of mobiles) {
		const written = example.formatInternational().replace('+', '00');
		expect(toE164(written, '49')).toBe(number);
		expect(typeof toE164(written)).toBe('object');
	}
});

/** Whether no other country has its country code: only then "min" judges by the general pattern alone, as the rules do. */
function hasOwnCode(number?: PhoneNumber): boolean {
	const sharing = mobiles.filter(({ code }) => code === number?.countryCallingCode);
	return sharing.length === 1;
}

/** Changes to a number as they happen when people write it, copy it or take it out of a spreadsheet. */
const change = fc.oneof(
	fc.record({ cut: fc.nat(17) }),
	fc.record({ double: fc.nat(17) }),
	fc.record({ put: fc.constantFrom(...'0123456789 -./()'), at: fc.nat(17) }),
	fc.record({ before: fc.constantFrom('0', '1', '8', '00', '+', '06', '(0)') }),
);

function apply(
	text: string,
	how: typeof change extends fc.Arbitrary<infer Change> ? Change : never,
) {
	if ('before' in how) return how.before + text;
	if ('cut' in how) return text.slice(0, how.cut) + text.slice(how.cut + 1);
	if ('double' in how) return text.slice(0, how.double + 1) + text.slice(how.double);
	return text.slice(0, how.at) + how.put + text.slice(how.at);
}

test('what is accepted is possible, and no other number than that of libphonenumber', () => {
	const written = fc
		.record({
			mobile: fc.constantFrom(...mobiles),
			way: fc.constantFrom(...Object.values(WAYS)),
			changes: fc.array(change, { minLength: 1, maxLength: 3 }),
		})
		.map(({ mobile, way, changes }) => ({
			...mobile,
			text: changes.reduce(apply, way(mobile.example)),
		}));
	let accepted = 0;
	fc.assert(
		fc.property(written, ({ text, country, code }) => {
			const number = toE164(text, code);
			if (typeof number !== 'string') return;
			accepted++;
			const itself = parsePhoneNumberFromString(number);
			// Here, two countries share a code, and one of them has shorter numbers.
			if (!/^\+(290|599)/.test(number)) {
				expect([number, itself?.isPossible()]).toEqual([number, true]);
			}
			expect(toE164(number)).toBe(number);
			const isCompleted = !text.includes('+');
			// A zero in brackets is dialed only within most countries.
			const readings = [text, text.replace('(0)', '')].map((reading) => reading.replace(/\D/g, ''));
			if (!isCompleted) expect(readings).toContain(number.slice(1));
			if (isCompleted && hasOwnCode(itself)) {
				expect([text, number, isValidPhoneNumber(number)]).toEqual([text, number, true]);
			}
			const other = parsePhoneNumberFromString(text, country);
			if (other?.isValid()) expect([text, number]).toEqual([text, other.number]);
			// Otherwise the library found no number, since it took off digits of a carrier or of a region's own.
			else if (isCompleted && other?.number !== number) {
				expect(['AR', 'AX', 'CC', 'CO', 'CX', 'KZ', 'UY']).toContain(country);
			}
		}),
		{ numRuns: 30_000 },
	);
	expect(accepted).toBeGreaterThan(5_000);
});
