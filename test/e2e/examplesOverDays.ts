/** What the examples promise in their notes, over simulated days. */
import type { INode } from 'n8n-workflow';

import { until } from '../../sandbox/n8n/until.ts';
import { seeded } from '../../sandbox/service/service.ts';
import {
	accepted,
	change,
	changed,
	itemsOf,
	listen,
	messages,
	run,
	stopListening,
	store,
	texted,
	write,
} from './exampleFlows.ts';
import { sandbox } from './shared.ts';
import { changeAll, changeRow, emptyTables, rowOf, rowsOf } from './tables.ts';

const HOUR_MS = 3_600_000;
/** Moments in rows and messages, as ISO 8601. */
const MOMENT = /^\d{4}-\d\d-\d\dT/;
/** Moments of a row that only n8n sets. */
const BY_N8N = ['createdAt', 'updatedAt'];

const phone = (index: number) => `+155555501${String(index).padStart(2, '0')}`;
const [alex, robin, sam] = [phone(0), phone(1), phone(2)];

/** Dates a message. */
function setTime(stored: ReturnType<typeof messages>[number], at: number): void {
	stored.at = at;
	const date = new Date(at).toISOString();
	Object.assign(stored.message, { created: date, timestamp: date });
}

/** Lets hours pass for the tables and the messages, by dating back all that is there. */
async function letPass(hours: number): Promise<void> {
	for (const stored of messages()) setTime(stored, stored.at - hours * HOUR_MS);
	await changeAll((row) =>
		Object.fromEntries(
			Object.entries(row).flatMap(([name, value]) =>
				typeof value === 'string' && MOMENT.test(value) && !BY_N8N.includes(name)
					? [[name, new Date(Date.parse(value) - hours * HOUR_MS).toISOString()]]
					: [],
			),
		),
	);
}

/** Contacts write, and the table of opt-outs is brought up to date by hand. */
async function writeUnheard(body: string, ...phones: string[]): Promise<void> {
	for (const from of phones) sandbox.service.receiveMessage({ phone: from, body });
	await run(await store('keep-the-opt-outs'));
}

const optedOut = async () => (await rowsOf('opt_outs')).map((row) => row.phone).sort();

/** A time zone where it is half past the given hour now. */
function zoneAt(hour: number): string {
	const now = new Date();
	const minutes = hour * 60 + 30 - (now.getUTCHours() * 60 + now.getUTCMinutes());
	const size = Math.abs(minutes);
	const [hours, rest] = [Math.floor(size / 60), String(size % 60).padStart(2, '0')];
	return `UTC${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** The leads +1 555 555 0120, 0121 … where it is now half past the given hours, and one who lives nowhere. */
function leadsAt(...hours: number[]): (node: INode) => INode {
	const leads = hours.map((hour, index) => ({
		firstName: `Lead ${index}`,
		phone: `+1 (555) 555-01${20 + index}`,
		timeZone: zoneAt(hour),
		topic: 'the spring offer',
	}));
	const nowhere = { firstName: 'Kim', phone: phone(26), timeZone: '', topic: 'hours' };
	return changed('Leads', { jsCode: `return ${JSON.stringify([...leads, nowhere])}` });
}

describe('Over days, the example', () => {
	beforeEach(async () => {
		await sandbox.service.reset('log', 'data');
		messages().length = 0;
		await emptyTables('opt_out_words');
	});

	afterEach(stopListening);

	test('"Text a whole list" texts everybody once, over two runs', async () => {
		const flow = await store('text-a-whole-list-once');
		const [first, second] = [await run(flow), await run(flow)].map(({ items }) => [
			...[0, 1, 2].map((output) => items('What came of it?', output).length),
			items('Not texted').map(({ json }) => [json.firstName, json.outcome, json.reason]),
		]);
		const failed = [['Kim, who has no number', 'refused', expect.stringContaining('Phone')]];
		expect([first, second]).toEqual([
			[3, 1, 0, failed],
			[0, 4, 0, failed],
		]);
		expect(texted()).toEqual([phone(10), phone(11), phone(12)]);
	});

	test('"Text a whole list" leaves out who wrote STOP until they write START, however their numbers are written', async () => {
		await writeUnheard('STOP', alex, robin);
		const phones = ['(555) 555-0100', '1 555 555-0101', '+1.555.555.0101', '+39 (0)6 6982 1234'];
		const list = phones.map((each) => ({ firstName: 'Somebody', phone: each }));
		const flow = await store('text-a-whole-list-once', (node) =>
			changed('Text everybody once', { defaultCountryCode: '1' })(
				changed('The list', { jsCode: `return ${JSON.stringify(list)}` })(node),
			),
		);
		const { items } = await run(flow);
		expect(items('Opted out').map(({ json }) => json.phone)).toEqual(phones.slice(0, 3));
		expect(texted()).toEqual(['+390669821234']);

		await writeUnheard('START', alex, robin);
		await run(flow);
		expect(texted().slice(1).sort()).toEqual([alex, robin]);
	});

	test('"Route inbound messages" sends each message where it belongs, and none of who has opted out to an agent', async () => {
		await writeUnheard('STOP', alex);
		const flow = await listen('route-inbound-messages');
		const bodies = [
			'An appointment, please',
			'Can I talk to a person, please?',
			'I would like an appointment on Thursday.',
			'What are your opening hours?',
			'STOP',
		];
		const runs = await write(
			flow,
			bodies.map((body, index) => [phone(index), body]),
		);
		const forColleagues = itemsOf(runs, 'Messages for a colleague').map(({ text }) => text);
		expect(forColleagues.sort()).toEqual(bodies.slice(0, 2));
		const [general, booking] = seeded.demo.webhookIds;
		const agents = sandbox.service.accepted().map(({ webhookId, body }) => [body, webhookId]);
		expect(agents).toHaveLength(2);
		// They see the message in the conversation; a payload would be a system message.
		expect(agents).toEqual(
			expect.arrayContaining([
				[{ phone: phone(2) }, booking],
				[{ phone: phone(3) }, general],
			]),
		);
	});

	test('"Keep the opt-outs" notes any way of writing STOP, and nothing else', async () => {
		const stops = [
			...['STOP', ' Stop. ', 'UNSUBSCRIBE!', '"cancel"', 'S T O P', 'Revoke', 'OPTOUT'],
			...['Stop. Thank you', 'Please stop', 'STOP\nSent from my iPhone', 'stop, thanks!'],
		];
		const perhapsStops = [
			...['Please stop texting me', 'Hello\nSTOP', 'ok stop now', 'Can you please stop'],
			...['I want to opt out', 'Don’t text me', 'Stop spamming me', 'STOP STOP STOP'],
		];
		const others = [
			...['The end of the story', 'START', '', 'Can you stop by tomorrow?'],
			...['Count me in, we must STOP this', 'Stop by at 10', 'Please cancel my appointment'],
			...['When do you start?', 'Please start', 'We had to stop the car'],
		];
		const flow = await listen('keep-the-opt-outs');
		const bodies = [...stops, ...perhapsStops, ...others];
		// Two come as events, and the others when it looks for what got lost on its way.
		const heard = [stops.length - 1, stops.length];
		const events = await write(
			flow,
			heard.map((index) => [phone(index), String(bodies[index])]),
		);
		expect(await optedOut()).toEqual([phone(stops.length - 1)]);
		expect(itemsOf(events, 'Perhaps an opt-out')).toMatchObject([{ text: perhapsStops[0] }]);
		await stopListening();
		bodies.forEach((body, index) => {
			if (!heard.includes(index)) sandbox.service.receiveMessage({ phone: phone(index), body });
		});
		const { items } = await run(flow);
		expect(await optedOut()).toEqual(stops.map((_, index) => phone(index)));
		const perhaps = items('Perhaps an opt-out').map(({ json }) => json.text);
		expect(perhaps.sort()).toEqual(perhapsStops.sort());
	});

	test('"Text every new lead" shows who was perhaps texted, and texts nobody again', async () => {
		const flow = await store('text-every-new-lead');
		await sandbox.service.configure({
			faults: [{ kind: 'dropAfter', operations: ['agent.start'] }],
		});
		await run(flow);
		await sandbox.service.configure({ faults: [] });
		const { items } = await run(flow);
		const shown = [...items('Leads to look at', 0)].map(({ json }) => json.phone);
		expect(shown).toEqual(expect.arrayContaining([alex, '+1 555 555 0101']));
		expect(texted().sort()).toEqual([alex, robin, sam]);
	});

	test('"Remind those who did not answer" reminds after a day, twice at most, until an answer or an opt-out', async () => {
		const reminders = () =>
			accepted().flatMap((body) => (body.reminder ? [[body.phone, body.reminder]] : []));
		// Who wrote before the text has not answered it.
		sandbox.service.receiveMessage({ phone: alex, body: 'Hello?' });
		await letPass(3);
		await run(await store('text-every-new-lead'));
		await until('the agent has written', () => messages().length === 4);
		const flow = await store('remind-those-who-did-not-answer');
		await letPass(20);
		await run(flow);
		expect(reminders()).toEqual([]);

		await letPass(5);
		// A preview counts nothing.
		await change(flow, changed('Send the reminder', { whenTesting: 'preview' }));
		await run(flow);
		expect(reminders()).toEqual([]);
		await change(flow, (node) => node);
		await run(flow);
		await run(flow);
		expect(reminders().sort()).toEqual([alex, robin, sam].map((each) => [each, 1]));
		// As after a crash before it was counted.
		const before = new Date(Date.now() - 25 * HOUR_MS).toISOString();
		await changeRow('texted_leads', sam, { reminders: 0, lastTextAt: before });
		await run(flow);
		expect(reminders()).toHaveLength(3);
		expect((await rowOf('texted_leads', sam)).reminders).toBe(1);

		sandbox.service.receiveMessage({ phone: alex, body: 'Yes, on Thursday' });
		await letPass(1);
		await writeUnheard('STOP', robin);
		for (let day = 0; day < 2; day++) {
			await letPass(25);
			await run(flow);
		}
		expect(reminders().slice(3)).toEqual([[sam, 2]]);
		expect((await rowOf('texted_leads', alex)).answeredAt).not.toBeNull();
	});

	test('"Keep quiet hours" goes by the clock where a lead lives, and texts in the morning, once', async () => {
		const flow = await store('keep-quiet-hours', leadsAt(3, 8, 9, 12, 19, 20));
		const { items } = await run(flow);
		expect(texted()).toEqual([phone(22), phone(23), phone(24)]);
		expect(items('Leads to look at')[0]?.json.reason).toContain('No time zone');

		// The next morning, in the same workflow.
		await change(flow, leadsAt(9, 9, 9, 12, 19, 21));
		await run(flow);
		expect(texted().slice(3).sort()).toEqual([phone(20), phone(21)]);
	});

	test('"Daily report" counts what was sent, delivered, failed and answered, and nothing of other days', async () => {
		const midnight = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
		/** Puts a message of yesterday, by UTC, into the team's list. */
		const yesterday = (hour: number, from: string, more: object = {}) => {
			sandbox.service.receiveMessage({ phone: from, body: 'Text' });
			const stored = messages().at(-1);
			if (!stored) throw new Error('There is no message');
			setTime(stored, midnight + (hour - 24) * HOUR_MS);
			Object.assign(stored.message, more);
		};
		const sent = { inbound: false, status: 'delivered' };
		const error = 'The carrier rejected the message.';
		yesterday(-2, alex, sent);
		yesterday(8, robin);
		yesterday(9, alex, sent);
		yesterday(10, robin, sent);
		yesterday(11, robin, { ...sent, status: 'on_its_way' });
		yesterday(12, sam, { ...sent, status: 'failed', error });
		yesterday(13, sam, { ...sent, status: 'undeliverable' });
		yesterday(14, alex);
		yesterday(15, alex);
		yesterday(25, robin);

		const { items } = await run(await store('daily-report'));
		const report = items('The report')[0]?.json;
		expect(report).toMatchObject({ sent: 5, delivered: 2, failed: 2 });
		expect(report).toMatchObject({ texted: 3, answered: 1, received: 3 });
		expect(report?.statuses).toContain('on_its_way 1');
		expect(report?.reasons).toContain(`${error} 1`);
		expect(report?.text).toContain('People texted: 3, of whom 1 answered');
		const reasons = items('What did not arrive').map(({ json }) => json.reason);
		expect(reasons.sort()).toEqual([error, 'undeliverable']);
	});
});
