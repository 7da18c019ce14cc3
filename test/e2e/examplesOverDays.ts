/** What the examples promise in their notes, over simulated days. */
import type { INode } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { seeded } from '../../sandbox/service/service.ts';
import {
	accepted,
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
import { model, modelCredential, sandbox } from './shared.ts';
import { changeAll, changeRow, deleteTables, rowOf, rowsOf } from './tables.ts';

const HOUR_MS = 3_600_000;
/** Moments in rows and messages, as ISO 8601. */
const MOMENT = /^\d{4}-\d\d-\d\dT/;
/** Moments of a row that only n8n sets. */
const BY_N8N = ['createdAt', 'updatedAt'];

const phone = (index: number) => `+155555501${String(index).padStart(2, '0')}`;
const [alex, robin, sam] = [phone(0), phone(1), phone(2)];

/** Runs a workflow twice at the same time. */
async function runTwice(flow: Flow): Promise<void> {
	const ids = await Promise.all([flow.start('Start by hand'), flow.start('Start by hand')]);
	for (const id of ids) expect((await flow.ended(id)).status).toBe('success');
}

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
	const offset = ((minutes + 36 * 60) % (24 * 60)) - 12 * 60;
	const size = Math.abs(offset);
	const [hours, rest] = [Math.floor(size / 60), String(size % 60).padStart(2, '0')];
	return `UTC${offset < 0 ? '-' : '+'}${hours}:${rest}`;
}

/** The leads +1 555 555 0120, 0121 … where it is now half past the given hours. */
function leadsAt(...hours: number[]): (node: INode) => INode {
	const leads = hours.map((hour, index) => ({
		firstName: `Lead ${index}`,
		phone: `+1 (555) 555-01${20 + index}`,
		timeZone: zoneAt(hour),
		topic: 'the spring offer',
	}));
	return changed('Leads', { jsonOutput: JSON.stringify({ leads }) });
}

describe('Over days, the example', () => {
	beforeEach(async () => {
		await sandbox.service.reset('log', 'data');
		messages().length = 0;
		await deleteTables();
		await run(await store('keep-the-opt-outs'));
	});

	afterEach(stopListening);

	test('"Text a whole list" texts everybody once, over two runs', async () => {
		const flow = await store('text-a-whole-list-once');
		const [first, second] = [await run(flow), await run(flow)].map(({ items }) => [
			items('Texted now').length,
			items('Texted before').length,
			items('Not texted').map(({ json }) => json.reason),
		]);
		const failed = ['No number with country code'];
		expect([first, second]).toEqual([
			[3, 1, failed],
			[0, 4, failed],
		]);
		expect(texted()).toEqual([phone(10), phone(11), phone(12)]);
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
		const agents = sandbox.service.accepted().map(({ webhookId, body }) => [body.text, webhookId]);
		expect(agents.sort()).toEqual([
			[bodies[2], booking],
			[bodies[3], general],
		]);
	});

	test('"Keep the opt-outs" notes any way of writing STOP, and nothing else', async () => {
		const stops = ['STOP', ' Stop. ', 'UNSUBSCRIBE!', '"cancel"', 'S T O P', 'Revoke', 'OPTOUT'];
		const others = ['Please stop texting me', 'The end of the story', 'START', ''];
		const flow = await listen('keep-the-opt-outs');
		const runs = await write(
			flow,
			[...stops, ...others].map((body, index) => [phone(index), body]),
		);
		expect(await optedOut()).toEqual(stops.map((_, index) => phone(index)));
		const perhaps = itemsOf(runs, 'Perhaps an opt-out').map(({ text }) => text);
		expect(perhaps).toEqual(['Please stop texting me']);
	});

	test('"Keep the opt-outs" reads those that got lost on their way from the messages, each once', async () => {
		const flow = await store('keep-the-opt-outs');
		sandbox.service.receiveMessage({ phone: alex, body: 'Stop' });
		await letPass(20);
		await run(flow, 'Every hour');
		await run(flow, 'Every hour');
		expect(await optedOut()).toEqual([alex]);

		sandbox.service.receiveMessage({ phone: alex, body: 'START' });
		await run(flow, 'Every hour');
		expect(await optedOut()).toEqual([]);
	});

	test('that texts leaves opt-outs alone, and texts them again after START', async () => {
		const phones = [0, 1, 2, 10, 11, 12].map(phone);
		const byDay = leadsAt(12, 12, 12);
		const flows = [
			await store('text-every-new-lead'),
			await store('text-a-whole-list-once'),
			await store('keep-quiet-hours', byDay),
		];
		await writeUnheard('STOP', ...phones, ...[20, 21, 22].map(phone));
		for (const flow of flows) await run(flow);
		expect(texted()).toEqual([]);
		const results = (await rowsOf('texts_to_send')).map(({ result }) => result);
		expect(results).toEqual(Array(3).fill('opted out'));

		await writeUnheard('START', ...phones);
		for (const flow of flows.slice(0, 2)) await run(flow);
		expect(texted().sort()).toEqual(phones);
	});

	test('"Ask an AI agent" leaves opt-outs alone, also when the model wants to text', async () => {
		await writeUnheard('STOP', alex);
		const flow = await store('ai-agent-tool', (node) => {
			if (node.name === 'When you write in the chat') {
				return { ...node, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
			}
			if (node.name === 'AI model') return { ...node, credentials: modelCredential };
			if (node.name === 'Memory') return { ...node, disabled: true };
			return changed('AI Agent', { promptType: 'define', text: 'Do it.' })(node);
		});
		const ask = async (Phone: string) => {
			model.follow({ tool: 'Start_an_agent', arguments: { Phone, Topic: 'the offer' } });
			await flow.run('When you write in the chat');
			return model.toolAnswer();
		};
		await ask('001 555 555 0100');
		expect(texted()).toEqual([]);
		expect(await ask('+1 (555) 555-0101')).toContain('accepted');
		expect(texted()).toEqual([robin]);
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
		await runTwice(flow);
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
		const resultOf = async (index: number) => (await rowOf('texts_to_send', phone(index))).result;
		const flow = await store('keep-quiet-hours', leadsAt(3, 8, 9, 12, 19, 20));
		await run(flow);
		await run(flow);
		expect(texted()).toEqual([phone(22), phone(23), phone(24)]);
		expect(await resultOf(20)).toBeNull();

		for (const index of [20, 21]) {
			await changeRow('texts_to_send', phone(index), { timeZone: zoneAt(9) });
		}
		await runTwice(await store('keep-quiet-hours', leadsAt()));
		expect(texted().slice(3).sort()).toEqual([phone(20), phone(21)]);
		expect(await resultOf(20)).toMatch(/^texted/);
		expect(await resultOf(25)).toBeNull();
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

	test('"Answer from a table" sends an answer when a colleague says so, once', async () => {
		const table = 'customer_messages';
		const text = 'Do you have time on Thursday?';
		const flow = await listen('answer-from-a-table');
		await write(flow, [
			[alex, text],
			[robin, 'STOP'],
		]);
		expect(await rowsOf(table)).toMatchObject([{ phone: alex, text, answer: null }]);
		await changeRow(table, alex, { answer: 'Yes, at 10.' });
		await run(flow);
		expect(texted()).toEqual([]);

		await changeRow(table, alex, { send: true });
		await runTwice(flow);
		await run(flow, 'Every five minutes');
		// As after a crash before the result was noted.
		await changeRow(table, alex, { result: null, doneAt: null, answer: 'Yes, at 11.' });
		await run(flow);
		expect(accepted()).toMatchObject([{ phone: alex, text: 'Yes, at 10.' }]);
		expect(await rowOf(table, alex)).toMatchObject({ result: 'sent' });
	});
});
