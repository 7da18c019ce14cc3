/** That the sub-workflow of the examples finds an opt-out by every number that the node would text, and texts on no old list. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import numbers from 'libphonenumber-js/mobile/examples';
import { DateTime } from 'luxon';

import { toE164 } from '../../../nodes/MessagingService/contacts/phone';
import { ROOT } from '../../../sandbox/n8n/paths';

type Item = { json: Record<string, unknown> };
type Step = { all(): Item[] };
type Code = (input: Step, step: (name: string) => Step, luxon: object) => Item[];

const file = readFileSync(join(ROOT, 'examples', 'who-may-be-texted.json'), 'utf8');
const { nodes }: { nodes: Array<{ name: string; parameters: { jsCode?: string } }> } =
	JSON.parse(file);
const source = nodes.find(({ name }) => name === 'The verdict')?.parameters.jsCode ?? '';
// As n8n's Code step runs it.
const code = new Function('$input', '$', 'DateTime', source) as Code;

const itemsOf = (values: object[]) => ({
	all: () => values.map((json) => ({ json: { ...json } })),
});
/** Half past twelve in London. */
const noon = { now: () => DateTime.fromISO('2026-01-15T12:30:00Z') };

const LATELY = { name: 'opt-outs', until: '2026-01-15T12:25:00.000Z' };

/** What it says about some people in one of its columns, when others have opted out. */
function answers(
	column: 'verdict' | 'means' | 'reason',
	people: object[],
	optedOut: string[] = [],
	reading: object = LATELY,
) {
	const steps = new Map([
		['Opt-outs', optedOut.map((phone) => ({ phone }))],
		['Were they kept lately?', [reading]],
	]);
	const asked = people.map((one) => ({ phone: '+15555550100', timeZone: 'any', ...one }));
	const step = (name: string) => itemsOf(steps.get(name) ?? []);
	return code(itemsOf(asked), step, noon).map(({ json }) => json[column]);
}

const verdictsOn = (phones: string[], optedOut: string[]) =>
	answers(
		'verdict',
		phones.map((phone) => ({ phone })),
		optedOut,
	);

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
			expect([text, verdictsOn([text], [stored])]).toEqual([text, ['opted out']]);
		}),
		{ numRuns: 10_000 },
	);
	expect(texted).toBeGreaterThan(4_000);
});

test('another number, written in full, is not taken for that of who wrote STOP', () => {
	const all = [...new Set(mobiles.map(({ number }) => number))];
	const halves = [0, 1].map((rest) => all.filter((_, index) => index % 2 === rest));
	const [some = [], others = []] = halves;
	expect(all.length).toBeGreaterThan(200);
	expect(verdictsOn([...some, ...others], some)).toEqual([
		...some.map(() => 'opted out'),
		...others.map(() => 'text'),
	]);
});

test('ways of writing a number that the list above does not have are found, too', () => {
	const optedOut = ['+298211234', '+15555550142', '+5215555550142', '447700900142'];
	const found = [
		...['21 12 34', '+298 211234', '(555) 555-0142', '1 555 555 0142', '+525555550142'],
		...['+١٥٥٥٥٥٥٠١٤٢', '＋１５５５５５５０１４２', '+44 7700 900142', '07700 900142'],
	];
	expect(verdictsOn(found, optedOut)).toEqual(found.map(() => 'opted out'));
	expect(verdictsOn(['+299211234', '+298211235'], optedOut)).toEqual(['text', 'text']);
	expect(verdictsOn(['', 'Jo'], optedOut)).toEqual(['look at', 'look at']);
});

test('where the opt-outs were not kept lately, nobody is texted, and the reason says where to look', () => {
	const people = [
		{},
		{ timeZone: 'Asia/Tokyo' },
		{ phone: '+15555550142' },
		{ message: 'Stop texting me' },
	];
	// As n8n gives it for a table without such a row.
	const old = (column: 'verdict' | 'reason') => answers(column, people, ['+15555550142'], {});
	expect(old('verdict')).toEqual(['look at', 'look at', 'opted out', 'look at']);
	const kept = expect.stringContaining('"Keep the opt-outs"');
	expect(old('reason')).toEqual([kept, kept, 'Has opted out', 'Perhaps an opt-out']);
});

test.each([
	['text', ['Europe/London', 'UTC', '+05:30', 'GMT-3', 'any']],
	['night', ['America/Los_Angeles', 'Asia/Tokyo', '+07:30', 'UTC-4']],
	['look at', ['BST', 'IST', 'AST', 'NST', 'EST', 'local', 'system', '', 'Europe/Atlantis']],
])('the clock where somebody lives: %s', (verdict, zones) => {
	const people = zones.map((timeZone) => ({ timeZone }));
	expect(answers('verdict', people)).toEqual(zones.map(() => verdict));
});

const MANY_LINES = '\n'.repeat(200_000);

test.each([
	[
		'STOP',
		[
			...['STOP', ' Stop. ', 'UNSUBSCRIBE!', '"cancel"', 'S T O P', 'Revoke', 'Opt out', 'Opt-out'],
			...['Stop. Thank you', 'Please stop', 'STOP\nSent from my iPhone', 'stop, thanks!', 'END'],
			...['ＳＴＯＰ', 'ARRÊT', 'stop 🛑', 'Quit', `STOP${MANY_LINES}Bye`],
		],
	],
	[
		'PERHAPS',
		[
			...['Please stop texting me', 'Hello\nSTOP', 'ok stop now', 'Can you please stop'],
			...['I want to opt out', 'Don’t text me', 'Stop spamming me', 'STOP STOP STOP'],
			...[
				'dont text me',
				"don't call me",
				'Do not call',
				'never text me again',
				'Stop wasting my time',
			],
			...[
				'stop txting me',
				'STOP msgs',
				'stop  sms',
				'no more text',
				'Lose my number',
				'unsub pls',
			],
			...['Who is this? STOP', 'stop. who is this?', 'no thanks, stop', 'stop - who is this'],
			...[
				"Don't call before 5, text me",
				'Count me in, we must STOP this',
				'Who is this?\nSTOP\nBye',
			],
			// As the example that answers hands over what somebody wrote in several messages.
			`${'I have a question. '.repeat(100)}\nSTOP\nthanks bye`,
		],
	],
	['START', ['START', ' start! ', 'Unstop']],
	[
		'',
		[
			...['The end of the story', '', 'Can you stop by tomorrow?', MANY_LINES, 'Please start'],
			...['Stop by at 10', 'Please cancel my appointment', 'When do you start?'],
			...[
				"I can't stop by today",
				"I CAN'T STOP BY TODAY",
				'I can’t stop, sorry',
				'A non-stop flight',
			],
			...['We had to stop the car', 'Is that the last stop? I am at the bus stop', 'Call me'],
			...[
				"We can't make it. Please cancel. Thanks",
				'PLEASE CANCEL MY APPOINTMENT',
				'No calls today',
			],
			...["Don't worry, I'll be there", "Why don't you call me?", 'I do not have a text from you'],
		],
	],
])('what messages mean: %s', (means, messages) => {
	const people = messages.map((message) => ({ message }));
	expect(answers('means', people)).toEqual(messages.map(() => means));
});
