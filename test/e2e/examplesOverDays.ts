/** What the examples promise in their notes, over simulated days. */
import { KEEPER, KEEPS_EVERY } from '../../sandbox/demo/examples.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { SECRET_HEADER } from '../../sandbox/service/events/outbox.ts';
import {
	accepted,
	change,
	changed,
	giving,
	itemsOf,
	keepOptOuts,
	listen,
	messages,
	run,
	sending,
	stopKeeping,
	stopListening,
	store,
	taken,
	texted,
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

/** Puts a message into the team's list, written so many hours ago. */
function writtenAgo(hours: number, from: string, more: object = {}): void {
	sandbox.service.receiveMessage({ phone: from, body: 'Text' });
	const stored = messages().at(-1);
	if (!stored) throw new Error('There is no message');
	setTime(stored, Date.now() - hours * HOUR_MS);
	Object.assign(stored.message, more);
	messages().sort((one, other) => one.at - other.at);
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

/** Lets hours pass in which the opt-outs are kept. */
async function letPassKeeping(hours: number): Promise<void> {
	await letPass(hours);
	await keepOptOuts();
}

/** Contacts write, and the table of opt-outs is brought up to date. */
async function writeUnheard(body: string, ...phones: string[]): Promise<void> {
	for (const from of phones) sandbox.service.receiveMessage({ phone: from, body });
	await keepOptOuts();
}

const optedOut = async () => (await rowsOf('opt_outs')).map((row) => row.phone).sort();

/** People as the lists of the examples have them, who may be texted at any hour. */
const people = (...phones: string[]) =>
	phones.map((mobile) => ({
		name: 'Somebody',
		mobile,
		zone: 'any',
		about: 'it',
		time: '9 am',
	}));

/** Calls a trigger as the service does. */
async function post(url: string, body: object): Promise<void> {
	const { signing } = sandbox.service.settings().events;
	const headers = { 'content-type': 'application/json', [SECRET_HEADER]: signing.secret };
	const { ok } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
	expect(ok).toBe(true);
}

describe('Over days, the example', () => {
	// The workflow of the demo answers no more.
	beforeAll(stopListening);
	beforeAll(stopKeeping);

	beforeEach(async () => {
		await sandbox.service.reset('log', 'data');
		messages().length = 0;
		await emptyTables();
		await keepOptOuts();
	});

	afterEach(stopListening);

	test('"Keep the opt-outs" hears STOP and START, also what was written while n8n was down', async () => {
		await writeUnheard('Hello', alex);
		await letPass(24 * 30);
		writtenAgo(24 * 20, alex, { body: 'ＳＴＯＰ' });
		writtenAgo(24 * 20, robin, { body: 'Stop.' });
		writtenAgo(24 * 19, robin, { body: 'START' });
		writtenAgo(24 * 19, sam, { body: 'Please stop texting me' });
		// A name in place of a number cannot be noted, so somebody has to look.
		writtenAgo(0.5, 'Bank', { body: 'STOP', sender: 'Bank' });
		const keeper = await store(KEEPER);
		const { items } = await run(keeper);
		expect(await optedOut()).toEqual([alex]);
		const perhaps = items('Perhaps an opt-out').map(({ json }) => json.phone);
		expect(perhaps.sort()).toEqual([sam, 'Bank']);
		// The next run reads the same messages again.
		expect((await run(keeper)).items('Perhaps an opt-out')).toEqual([]);
		await writeUnheard('START', alex);
		expect(await optedOut()).toEqual([]);
	});

	test('"Keep the opt-outs" begins later, if somebody says so, where the service gives no more', async () => {
		writtenAgo(24 * 400, robin, { body: 'STOP' });
		for (const from of [alex, sam]) writtenAgo(1, from, { body: 'STOP' });
		await emptyTables();
		await sandbox.service.configure({ dialect: { window: 2 } });
		const keeper = await store(KEEPER);
		expect((await keeper.run(KEEPS_EVERY)).status).toBe('error');
		const lastMonth = new Date(Date.now() - 24 * 30 * HOUR_MS).toISOString().slice(0, 10);
		await change(keeper, (node) =>
			JSON.parse(JSON.stringify(node).replace('2000-01-01', lastMonth)),
		);
		await run(keeper);
		await sandbox.service.configure({ dialect: { window: Infinity } });
		expect(await optedOut()).toEqual([alex, sam]);
	});

	test('"Text a whole list" texts everybody once, and marks whom it has just texted', async () => {
		await writeUnheard('STOP', robin);
		const list = [...people(alex, robin, sam, '+1 (555) 555-0102', ''), { mobile: phone(3) }];
		const flow = await store('text-a-whole-list-once', giving('The list', list));
		const marked = async () =>
			(await run(flow)).items('Mark as texted').map(({ json }) => json.phone);
		expect(await marked()).toEqual([]);
		expect(texted()).toEqual([]);
		await change(flow, giving('The list', list), sending);
		expect(await marked()).toEqual([alex, sam]);
		const { items } = await run(flow);
		expect(items('Mark as texted')).toEqual([]);
		expect(texted()).toEqual([alex, sam]);
		expect(
			items('Not texted')
				.map(({ json }) => json.reason)
				.sort(),
		).toEqual(['Has opted out', 'No phone number', expect.stringMatching(/^No time zone/)]);
	});

	test('"Text a whole list" texts nobody by a column that nobody chose, and checks the one that is', async () => {
		await writeUnheard('STOP', '+298211234');
		const list = ['21 12 34', '21 12 35'].map((each) => ({ 'Phone Number': each }));
		const flow = await store('text-a-whole-list-once', giving('The list', list), sending);
		const { items } = await run(flow);
		expect(items('Not texted').map(({ json }) => json.reason)).toEqual(
			list.map(() => 'No phone number'),
		);
		const column = {
			id: '1',
			name: 'phone',
			type: 'string',
			value: "={{ $json['Phone Number'] }}",
		};
		const zone = { id: '2', name: 'timeZone', type: 'string', value: 'any' };
		await change(
			flow,
			giving('The list', list),
			sending,
			changed('Text everybody once', { defaultCountryCode: '298' }),
			changed('Your columns', { assignments: { assignments: [column, zone] } }),
		);
		await run(flow);
		expect(texted()).toEqual(['+298211235']);
	});

	test('"Text a whole list" texts nobody while "Keep the opt-outs" has failed for half an hour', async () => {
		const flow = await store('text-a-whole-list-once', giving('The list', people(alex)), sending);
		await sandbox.service.configure({
			faults: [{ kind: 'status', status: 401, operations: ['message.getAll'] }],
		});
		const keeper = await store(KEEPER);
		expect((await keeper.run(KEEPS_EVERY)).status).toBe('error');
		await letPass(0.4);
		await run(flow);
		expect(texted()).toEqual([alex]);
		await letPass(0.2);
		await change(flow, giving('The list', people(robin)), sending);
		const { items } = await run(flow);
		expect(texted()).toEqual([alex]);
		expect(items('Not texted')[0]?.json.reason).toContain('"Keep the opt-outs"');
		await sandbox.service.configure({ faults: [] });
		await run(keeper);
		await run(flow);
		expect(texted()).toEqual([alex, robin]);
	});

	test('"Text a whole list" texts nobody while the sub-workflow is not chosen', async () => {
		const flow = await store(
			'text-a-whole-list-once',
			giving('The list', people(alex)),
			sending,
			changed('Who may be texted?', { workflowId: { __rl: true, mode: 'list', value: '' } }),
		);
		expect((await flow.run('Start by hand')).status).toBe('error');
		expect(texted()).toEqual([]);
	});

	test('"Text every new lead" shows who was perhaps texted, and texts nobody again', async () => {
		const list = [...people('+1 555 555 0101', sam), { ...people(phone(3))[0], about: '' }];
		const flow = await store('text-every-new-lead', giving('Leads', list), sending);
		await sandbox.service.configure({
			faults: [{ kind: 'dropAfter', operations: ['agent.start'] }],
		});
		await run(flow);
		await sandbox.service.configure({ faults: [] });
		const { items } = await run(flow);
		expect(items('Leads to look at').map(({ json }) => [json.phone, json.firstName])).toEqual(
			expect.arrayContaining([
				['+1 555 555 0101', 'Somebody'],
				[sam, 'Somebody'],
				[phone(3), 'Somebody'],
			]),
		);
		expect(texted().sort()).toEqual([robin, sam]);
		expect(await rowsOf('texted_leads')).toEqual([]);
	});

	test('"Remind those who did not answer" reminds after a day, twice at most, until an answer or an opt-out', async () => {
		const reminders = () =>
			accepted().flatMap((body) => (body.reminder ? [[body.phone, body.reminder]] : []));
		// Who wrote before the text has not answered it, and a name is nobody's number.
		sandbox.service.receiveMessage({ phone: alex, body: 'Hello?' });
		await letPassKeeping(3);
		await run(
			await store('text-every-new-lead', giving('Leads', people(alex, robin, sam)), sending),
		);
		await until('the agent has written', () => messages().length === 4);
		writtenAgo(0, 'Bank', { sender: 'Bank', members: ['Bank'] });
		const flow = await store('remind-those-who-did-not-answer');
		await letPassKeeping(20);
		await run(flow);
		await letPassKeeping(5);
		// A preview counts nothing.
		await run(flow);
		expect(reminders()).toEqual([]);
		await change(flow, sending);
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
			await letPassKeeping(25);
			await run(flow);
		}
		expect(reminders().slice(3)).toEqual([[sam, 2]]);
		expect((await rowOf('texted_leads', alex)).answeredAt).not.toBeNull();
	});

	test('"Ask, and wait" waits for those whom it has just asked', async () => {
		await writeUnheard('STOP', robin);
		const flow = await store(
			'ask-and-wait-for-answers',
			giving('The people', people(alex, robin)),
			sending,
		);
		const running = run(flow);
		await until('the agent has written', () => texted().length === 1);
		sandbox.service.receiveMessage({ phone: alex, body: 'At ten' });
		const { items } = await running;
		expect(items('They answered').map(({ json }) => json.body)).toEqual(['At ten']);
		expect(items('People to look at').map(({ json }) => json.phone)).toEqual([robin]);
	});

	test('"Daily report" counts what was sent, delivered, failed and answered, and nothing of other days', async () => {
		const midnight = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
		/** Puts a message of yesterday, by UTC, into the team's list. */
		const yesterday = (hour: number, from: string, more: object = {}) =>
			writtenAgo(24 - hour + (Date.now() - midnight) / HOUR_MS, from, more);
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
		yesterday(24.001, robin);

		const assignments = [
			{ id: '1', name: 'timeZone', type: 'string', value: 'UTC' },
			{ id: '2', name: 'daysAgo', type: 'number', value: 1 },
		];
		const day = changed('Which day?', { assignments: { assignments } });
		const { items } = await run(await store('daily-report', day));
		const report = items('The report')[0]?.json;
		expect(report).toMatchObject({ sent: 5, delivered: 2, failed: 2 });
		expect(report).toMatchObject({ texted: 3, answered: 1, received: 3 });
		expect(report?.statuses).toContain('on_its_way 1');
		expect(report?.reasons).toContain(`${error} 1`);
		expect(report?.text).toContain('People texted: 3, of whom 1 answered');
		const reasons = items('What did not arrive').map(({ json }) => json.reason);
		expect(reasons.sort()).toEqual([error, 'undeliverable']);
	});

	test('"Nightly copy" brings what came since the last copy that was stored, and no formula', async () => {
		const flow = await store('nightly-copy-of-messages');
		const copied = async () => {
			const { items } = await run(flow);
			return items('Not copied before')
				.map(({ json }) => String(json.text).slice(0, 9))
				.sort();
		};
		writtenAgo(3, alex, { body: '=1+1' });
		writtenAgo(2, robin, { body: 'x'.repeat(40_000) });
		expect(await copied()).toEqual(["'=1+1", 'xxxxxxxxx']);
		// A night without n8n, and one without its store.
		await letPass(48);
		writtenAgo(30, sam, { body: '+1' });
		await change(flow, (node) =>
			node.name === 'Keep the file' ? { ...node, type: 'n8n-nodes-base.stopAndError' } : node,
		);
		expect((await flow.run('Every night at 4:10')).status).toBe('error');
		await change(flow);
		writtenAgo(2, alex, { body: 'Hello' });
		expect(await copied()).toEqual(["'+1", 'Hello']);
		expect(await copied()).toEqual([]);
	});

	test('"Nightly copy" brings what shows up late, up to two days, and nothing twice', async () => {
		// In place of the file, its rows.
		const flow = await store('nightly-copy-of-messages', (node) =>
			node.name === 'Make a file' ? { ...node, type: 'n8n-nodes-base.noOp' } : node,
		);
		const copied = async () => (await run(flow)).items('Make a file').map(({ json }) => json.text);
		writtenAgo(24 * 20, alex, { body: 'Three weeks ago' });
		writtenAgo(40, alex, { body: 'Before the first copy' });
		writtenAgo(2, robin, { body: 'Just before it' });
		expect(await copied()).toHaveLength(3);
		writtenAgo(47, sam, { body: 'Late' });
		expect(await copied()).toEqual(['Late']);
		for (let night = 0; night < 10; night++) {
			await letPass(24);
			writtenAgo(2, alex, { body: `New ${night}` });
			writtenAgo(30, sam, { body: `Late ${night}` });
			expect((await copied()).sort()).toEqual([`Late ${night}`, `New ${night}`]);
		}
		// Only what may be read again is kept in mind.
		expect((await rowsOf('copied_messages')).length).toBeLessThan(20);
		await letPass(24 * 9);
		writtenAgo(2, robin, { body: 'After nine nights without n8n' });
		expect(await copied()).toEqual(['After nine nights without n8n']);
	});

	describe('"Answer inbound messages"', () => {
		const soon = changed('Wait until they pause', { amount: 2 });

		test('answers three in a row once, and nobody who has opted out', async () => {
			await writeUnheard('STOP', robin);
			const flow = await listen('answer-inbound-messages', soon);
			for (const body of ['Hello', 'I have a question', 'Are you open on Sunday?']) {
				sandbox.service.receiveMessage({ phone: alex, body });
			}
			sandbox.service.receiveMessage({ phone: robin, body: 'Hello?' });
			sandbox.service.receiveMessage({ phone: sam, body: 'Stop texting me' });
			sandbox.service.receiveMessage({ phone: phone(3), body: 'STOP' });
			const runs = await taken(flow, 6);
			// They see the message in the conversation; a payload would be a system message.
			expect(accepted()).toEqual([{ phone: alex }]);
			const shown = itemsOf(runs, 'Messages to look at').map(({ reason }) => reason);
			expect(shown.sort()).toEqual(['Has opted out', 'Has opted out', 'Perhaps an opt-out']);
		});

		test('answers nobody who has just written STOP, which the table does not have yet', async () => {
			writtenAgo(0.1, robin, { body: 'STOP' });
			writtenAgo(2, sam, { body: 'We must STOP this' });
			const flow = await listen('answer-inbound-messages', soon);
			sandbox.service.receiveMessage({ phone: robin, body: 'thanks bye' });
			sandbox.service.receiveMessage({ phone: sam, body: 'Hello' });
			const runs = await taken(flow, 2);
			expect(texted()).toEqual([sam]);
			expect(itemsOf(runs, 'Messages to look at')).toEqual([
				expect.objectContaining({ phone: robin, reason: 'Perhaps an opt-out' }),
			]);
		});

		test('answers who writes while the agent writes', async () => {
			const flow = await listen('answer-inbound-messages', soon);
			sandbox.service.receiveMessage({ phone: alex, body: 'One more thing' });
			const [stored] = messages();
			if (!stored) throw new Error('There is no message');
			const own = { ...stored.message, id: stored.message.id + 1, inbound: false };
			messages().push({ at: stored.at + 1, message: own });
			await taken(flow, 1);
			expect(texted()).toEqual([alex]);
		});

		test('answers two people whose messages come in one call', async () => {
			const flow = await listen('answer-inbound-messages', soon);
			const [{ url } = { url: '' }] = sandbox.service.settings().events.subscriptions;
			await sandbox.service.configure({ events: { subscriptions: [] } });
			for (const from of [alex, robin]) sandbox.service.receiveMessage({ phone: from, body: 'Hi' });
			const events = messages().map(({ message }) => ({
				event: 'message.received',
				data: message,
			}));
			await post(url, events);
			await taken(flow, 1);
			expect(texted().sort()).toEqual([alex, robin]);
		});

		test('ends when two machines answer each other', async () => {
			for (let text = 0; text < 8; text++) writtenAgo(1, alex, { inbound: false });
			const flow = await listen('answer-inbound-messages', soon);
			for (let answers = 1; answers <= 2; answers++) {
				sandbox.service.receiveMessage({ phone: alex, body: `Thank you for message ${answers}` });
				await taken(flow, 1);
				await until('the agent has written', () => messages().length === 8 + 2 * answers);
			}
			sandbox.service.receiveMessage({ phone: alex, body: 'Thank you once more' });
			const runs = await taken(flow, 1);
			expect(itemsOf(runs, 'Messages to look at')[0]?.reason).toContain('perhaps a machine');
			expect(texted()).toEqual([alex, alex]);
		});
	});
});
