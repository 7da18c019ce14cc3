/** Messages by contact, and the wait for replies, from end to end. */
import { createMessage } from '../../sandbox/service/store.ts';
import type { Fault, Service } from '../../sandbox/service/service.ts';
import { clock } from './engine.ts';
import { demoTeam, hurry, idsOf, run, start, startQuietly, wordsOf } from './service.ts';

hurry();

const AFTER = '2000-01-01';
const NOW = Date.parse('2026-06-15T12:00:00Z');
/** How many messages there are, and of how many people in turn. */
const [MESSAGES, CONTACTS] = [6_000, 300];

/** 555-01xx is reserved for fiction in every area. */
const phoneOf = (contact: number) =>
	`+1${201 + Math.floor(contact / 100)}55501${String(contact % 100).padStart(2, '0')}`;

const contacts = (count: number) =>
	Array.from({ length: count }, (_, contact) => ({ phone: phoneOf(contact) }));

/**
 * Gives the demo team so many messages, each of or to the next of the contacts, over so many milliseconds until a moment:
 * a second each when left out.
 */
function converse(
	service: Service,
	messages: number,
	people: number,
	{ until: end = NOW, over = messages * 1_000 } = {},
): void {
	const team = demoTeam(service);
	const [inbox = {}] = team.inboxes;
	for (let index = 0; index < messages; index++) {
		const at = end - ((messages - index) * over) / messages;
		const message = createMessage(index + 1, team, {
			inbox,
			phone: phoneOf(index % people),
			body: index % 7 === 0 ? 'Please STOP' : 'Hello',
			// Everybody writes and is written to.
			inbound: Math.floor(index / people) % 2 === 0,
			at,
		});
		team.messages.push({ at, message });
	}
}

const byContact = (more = {}) => ({ after: AFTER, phone: '={{ $json.phone }}', ...more });

describe('messages by contact', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startQuietly({ messages: 0 });
		converse(service, MESSAGES, CONTACTS);
	});
	beforeEach(() => service.reset('log', 'settings'));
	afterAll(() => service.close());

	test('of 300 contacts among 6,000 messages take one reading of the list', async () => {
		const parameters = { returnAll: true, filters: byContact({ direction: 'inbound' }) };
		const input = contacts(CONTACTS);
		const { outputs, hints, error } = await run(service, 'message.getAll', parameters, { input });

		expect(error).toBeUndefined();
		const [items = []] = outputs;
		expect(items).toHaveLength(MESSAGES / 2);
		const misplaced = items.filter(
			({ json, pairedItem }) =>
				json.inbound !== true || Object(pairedItem).item !== (Number(json.id) - 1) % CONTACTS,
		);
		expect(misplaced).toEqual([]);
		expect(new Set(idsOf(items.map(({ json }) => json))).size).toBe(MESSAGES / 2);
		expect(service.received()).toHaveLength(MESSAGES / 50);
		// Half of what was read came out.
		expect(hints).toEqual([]);
	});

	test.each([
		// The newest of each contact is outbound.
		[{ direction: 'inbound' }, 50, 7],
		[{ direction: 'inbound' }, 600, 24],
		[{ phone: phoneOf(CONTACTS - 1) }, 1, 1],
	])('are not read much further than needed: %j, up to %i', async (filters, limit, pages) => {
		const { json, error } = await run(service, 'message.getAll', { limit, filters });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(limit);
		expect(service.received().length).toBeLessThanOrEqual(1.5 * pages);
	});

	test('of dates that begin within the same hour are read once, until all items have theirs', async () => {
		// At the beginning of an hour, so that it does not end meanwhile.
		const after = '={{ DateTime.fromMillis(1750000000000).startOf("hour").plus($itemIndex) }}';
		const before = '2026-06-15T13:00:00Z';
		const parameters = { limit: 50, filters: { after, before, direction: 'outbound' } };
		const { json } = await run(service, 'message.getAll', parameters, { input: contacts(100) });
		expect(json).toHaveLength(5_000);
		expect(service.received().length).toBeLessThanOrEqual(64);
	});

	test('that two items get are objects of their own', async () => {
		const parameters = { limit: 1, simple: false };
		const { json } = await run(service, 'message.getAll', parameters, { input: [{}, {}] });
		const [one, other] = json;
		expect(one).toEqual(other);
		expect(one?.members).not.toBe(other?.members);
	});

	test('come with the error, each to its own item, where pages are missing', async () => {
		const faults: Fault[] = [{ kind: 'status', status: 500, requests: { from: 2 } }];
		const broken = await start({ messages: 0, faults });
		converse(broken, 100, 50);
		const input = [{ phone: phoneOf(1) }, { phone: 'nobody' }, { phone: phoneOf(2) }];
		const { json } = await run(
			broken,
			'message.getAll',
			{ returnAll: true, filters: byContact() },
			{ input, onError: 'continueRegularOutput' },
		);
		expect(json).toMatchObject([
			{ id: 52 },
			{ phone: phoneOf(1), error: 'The messaging service reported a server error' },
			{ error: 'Phone "nobody" is not a phone number' },
			{ id: 53 },
			{ phone: phoneOf(2), error: 'The messaging service reported a server error' },
		]);
	});
});

describe('a wait for replies', () => {
	const WAIT = { phone: '={{ $json.phone }}', waitMinutes: 5 };

	test('gives each item its reply, and reads for all items at once', async () => {
		const service = await start({ messages: 0 });
		const running = run(service, 'message.waitForReply', WAIT, { input: contacts(300) });
		await clock.whenPausing(() => {
			for (const { phone } of contacts(299)) {
				service.receiveMessage({ phone, body: `I am ${phone}` });
			}
			for (const { phone } of contacts(50)) service.receiveMessage({ phone, body: 'And another' });
		});
		const { outputs, hints, error } = await running;

		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual(
			contacts(300).map(({ phone }, item) => ({
				json:
					item === 299
						? { replied: false, phone }
						: expect.objectContaining({ replied: true, sender: phone, body: `I am ${phone}` }),
				pairedItem: { item },
			})),
		);
		expect(hints).toContainEqual(expect.stringMatching(/^A contact did not reply in time/));
	});

	test('of ten minutes takes few requests, however many messages there are', async () => {
		const service = await start({ messages: 0 });
		converse(service, 5_000, 100, { until: Date.now(), over: 48 * 60 * 60_000 });
		const parameters = { phone: phoneOf(250), waitMinutes: 10 };
		const { json } = await run(service, 'message.waitForReply', parameters);
		expect(json).toEqual([{ replied: false, phone: phoneOf(250) }]);
		expect(service.received().length).toBeGreaterThan(30);
		expect(service.received().length).toBeLessThanOrEqual(80);
	});

	test('says once when the service ignores its filters, and waits all the same', async () => {
		const dialect = { overrideNames: { afterParameter: 'from' } };
		const service = await start({ messages: 0, dialect });
		converse(service, 120, 2);
		const running = run(service, 'message.waitForReply', WAIT, { input: contacts(2) });
		const answer = () => {
			for (const { phone } of contacts(2)) service.receiveMessage({ phone, body: 'Yes' });
		};
		await clock.whenPausing(answer, () => service.received().length > 6);
		const { json, hints } = await running;
		expect(json).toMatchObject([{ body: 'Yes' }, { body: 'Yes' }]);
		expect(hints).toEqual([expect.stringMatching(/After Parameter.*\.$/)]);
	});

	test('has no moment after which replies count, if the model of a tool leaves it empty', async () => {
		const service = await start({ messages: 0 });
		const parameters = {
			phone: phoneOf(1),
			waitMinutes: 1,
			after: `={{ /* $fromAI('After') */ "" }}`,
		};
		const { json } = await run(service, 'message.waitForReply', parameters, { asTool: true });
		expect(json).toEqual([{ replied: false, phone: phoneOf(1) }]);
	});

	test('refuses a number before it waits', async () => {
		const service = await start({ messages: 0 });
		const input = [...contacts(2), { phone: 'call me' }];
		const words = wordsOf(await run(service, 'message.waitForReply', WAIT, { input }));
		expect(words).toMatchObject({ message: 'Phone "call me" is not a phone number', itemIndex: 2 });
		expect(service.received()).toEqual([]);
	});
});
