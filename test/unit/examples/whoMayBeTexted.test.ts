/** That the sub-workflow of the examples finds an opt-out by every number that the node would text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import numbers from 'libphonenumber-js/mobile/examples';
import { DateTime } from 'luxon';

import { toE164 } from '../../../nodes/MessagingService/contacts/phone';
import { ROOT } from '../../../sandbox/n8n/paths';

interface Verdict {
	json: { verdict: string };
}

type Code = (
	input: { all(): object[] },
	stepNamed: () => { all(): object[] },
	luxon: typeof DateTime,
) => Verdict[];

const file = readFileSync(join(ROOT, 'examples', 'who-may-be-texted.json'), 'utf8');
const { nodes }: { nodes: Array<{ name: string; parameters: { jsCode?: string } }> } =
	JSON.parse(file);
const source = nodes.find(({ name }) => name === 'The verdict')?.parameters.jsCode ?? '';
// As n8n's Code step runs it.
const code = new Function('$input', '$', 'DateTime', source) as Code;

const itemsOf = (values: object[]) => ({ all: () => values.map((json) => ({ json })) });

/** What it says about some people, when others have opted out. */
function verdictsOn(people: object[], optedOut: string[]): string[] {
	const rows = optedOut.map((phone) => ({ phone }));
	const asked = people.map((one) => ({ timeZone: 'any', ...one }));
	return code(itemsOf(asked), () => itemsOf(rows), DateTime).map(({ json }) => json.verdict);
}

const mobiles = getCountries().flatMap((country) => getExampleNumber(country, numbers) ?? []);

const WAYS: Array<(mobile: (typeof mobiles)[number]) => string> = [
	({ number }) => number,
	(mobile) => mobile.formatInternational(),
	({ nationalNumber }) => nationalNumber,
	(mobile) => mobile.formatNational(),
	({ number }) => number.slice(1),
	({ number }) => `00${number.slice(1)}`,
];

/** What people put in front of a number, or into it. */
const change = fc.record({
	put: fc.constantFrom('0', '1', '8', '80', '00', '06', '(0)', ' ', '-', '/', '5'),
	at: fc.nat(6),
});

test('whoever the node would text is found among those who wrote STOP, however both are written', () => {
	const written = fc
		.record({
			mobile: fc.constantFrom(...mobiles),
			write: fc.constantFrom(...WAYS),
			changes: fc.array(change, { maxLength: 2 }),
			isWhole: fc.boolean(),
		})
		.map(({ mobile, write, changes, isWhole }) => ({
			code: mobile.countryCallingCode,
			isWhole,
			text: changes.reduce(
				(text, { put, at }) => text.slice(0, at) + put + text.slice(at),
				write(mobile),
			),
		}));
	let texted = 0;
	fc.assert(
		fc.property(written, ({ text, code: own, isWhole }) => {
			const number = toE164(text, own);
			if (typeof number !== 'string') return;
			texted++;
			const stored = isWhole ? number : number.slice(1);
			expect([text, verdictsOn([{ phone: text }], [stored])]).toEqual([text, ['opted out']]);
		}),
		{ numRuns: 10_000 },
	);
	expect(texted).toBeGreaterThan(4_000);
});

test('another number, written in full, is not taken for that of who wrote STOP', () => {
	const all = [...new Set(mobiles.map(({ number }) => number))];
	const halves = [0, 1].map((rest) => all.filter((_, index) => index % 2 === rest));
	const [some = [], others = []] = halves;
	const people = [...some, ...others].map((phone) => ({ phone }));
	expect(people.length).toBeGreaterThan(200);
	expect(verdictsOn(people, some)).toEqual([
		...some.map(() => 'opted out'),
		...others.map(() => 'text'),
	]);
});
