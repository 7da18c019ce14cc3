import type { Answer } from '../../../../nodes/MessagingService/api/request';
import { ParsedMessage } from '../../../../nodes/MessagingService/operations/message/message';
import { ReplyPoll } from '../../../../nodes/MessagingService/operations/message/replyPoll';
import { failureOf, response } from '../../helpers/api';
import { VirtualClock } from '../../helpers/virtualClock';

const EPOCH = Date.parse('2026-01-31T08:00:00.500Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const INBOX = '+15555550199';
const CONTACT = '+15555550101';

/** A message, in milliseconds after the beginning of the wait; without a date if that is infinite. */
interface Written {
	id: number;
	at: number;
	/** When the list has it; at once unless given. */
	shownAt?: number;
	from?: string;
}

interface World {
	messages?: Written[];
	/** What goes wrong with a reading, by the time. */
	fault?(time: number): Answer | undefined;
	/** Whether the service finds nothing unless it is asked for a day more. */
	needsSlack?: boolean;
	/** Whether the first reading finds nothing, and says that something may be missing. */
	isCutShort?: boolean;
}

/** A reading, in milliseconds after the beginning of the wait. */
interface Reading {
	at: number;
	from: number;
}

/** Waits for a contact of a simulated service. */
class Wait {
	readonly clock = new VirtualClock(0);
	readonly end = new AbortController();
	readonly readings: Reading[] = [];
	readonly poll: ReplyPoll;

	constructor({ messages = [], fault, needsSlack = false, isCutShort = false }: World) {
		const readSince = async (date: number, isExact: boolean) => {
			this.readings.push({ at: this.clock.now(), from: date - EPOCH });
			await this.clock.wait(50);
			const answer = fault?.(this.clock.now());
			if (answer) throw failureOf('refused', answer);
			const isFirst = this.readings.length === 1;
			if (isCutShort && isFirst) return { messages: [], isComplete: false };
			if (needsSlack && isExact) return { messages: [], isComplete: true };
			const time = this.clock.now();
			const shown = messages.filter(({ at, shownAt = at }) => at > date - EPOCH && shownAt <= time);
			return { messages: shown.map(toMessage), isComplete: true };
		};
		const { clock, end } = this;
		const today = () => EPOCH + clock.now();
		this.poll = new ReplyPoll({ readSince, today, clock, signal: end.signal });
	}

	/** The ID of the contact's reply; undefined when there is none. */
	async run({ after, minutes = 10 }: { after?: number; minutes?: number } = {}): Promise<unknown> {
		const wait = this.poll.waitFor({ numbers: [CONTACT] }, minutes * MINUTE, after);
		return (await this.clock.run(wait))?.json.id;
	}
}

function toMessage({ id, at, from = CONTACT }: Written): ParsedMessage {
	return new ParsedMessage({
		id,
		inbound: from !== INBOX,
		sender: from,
		members: [from, INBOX],
		...(at < Infinity && { timestamp: new Date(EPOCH + at).toISOString() }),
	});
}

test.each<[string, number | undefined, Parameters<Wait['run']>[0]]>([
	['that the first reading did not find', 2, {}],
	['after a moment that is given', 1, { after: EPOCH - 20 * MINUTE }],
	['after a moment to come', 3, { after: EPOCH + 4 * MINUTE }],
])('the first message counts %s', async (_name, id, more) => {
	const messages = [-10, 3, 5].map((minute, index) => ({ id: index + 1, at: minute * MINUTE }));
	expect(await new Wait({ messages }).run(more)).toBe(id);
});

test('a reply that the clock of the service dates too early counts', async () => {
	const messages = [
		{ id: 1, at: -2 * MINUTE },
		{ id: 2, at: -2 * MINUTE, shownAt: MINUTE },
	];
	expect(await new Wait({ messages }).run({ after: EPOCH - MINUTE })).toBe(2);
});

test('a message that was there before does not count, also when it comes again with a later date', async () => {
	const messages = [
		{ id: 1, at: -10 * MINUTE },
		{ id: 1, at: 2 * MINUTE, shownAt: 2 * MINUTE },
		{ id: 2, at: 3 * MINUTE, from: INBOX },
	];
	expect(await new Wait({ messages }).run({ minutes: 4 })).toBeUndefined();
});

test('a message without a date that was there before does not count', async () => {
	const messages = [
		{ id: 1, at: Infinity, shownAt: 0 },
		{ id: 2, at: Infinity, shownAt: MINUTE },
	];
	expect(await new Wait({ messages }).run({ after: EPOCH - MINUTE })).toBe(2);
});

test('a message that an incomplete first reading has passed over does not count', async () => {
	const messages = [
		{ id: 1, at: -30_000 },
		{ id: 2, at: 20_000 },
	];
	expect(await new Wait({ messages, isCutShort: true }).run()).toBe(2);
});

test('messages are read from an hour ago on, or from the earliest moment that somebody waits from', async () => {
	const messages = [
		// The first reading, for the other one, does not reach so far.
		{ id: 0, at: -4.5 * HOUR },
		{ id: 1, at: -3 * HOUR },
		{ id: 2, at: -2 * HOUR, shownAt: MINUTE },
	];
	const wait = new Wait({ messages });
	const wholly = [undefined, EPOCH - 4 * HOUR].map(
		async (after) => await wait.poll.waitFor({ numbers: [CONTACT] }, 2 * MINUTE, after),
	);
	const [forNew, forDated] = await wait.clock.run(Promise.all(wholly));
	expect(wait.readings[0]?.from).toBe(-5 * HOUR);
	expect(forDated?.json.id).toBe(1);
	// What is dated earlier than an hour ago is read only for the other one.
	expect(forNew).toBeUndefined();
	const alone = new Wait({ messages: [{ id: 1, at: -59 * MINUTE, shownAt: MINUTE }] });
	expect(await alone.run()).toBe(1);
	expect(alone.readings[0]?.from).toBe(-HOUR);
});

test('an outage of a minute ends nothing, also at the end of the time', async () => {
	const isOut = (time: number) => time > 9 * MINUTE && time < 10.5 * MINUTE;
	const wait = new Wait({
		messages: [{ id: 1, at: 9.5 * MINUTE }],
		fault: (time) => (isOut(time) ? response(503) : undefined),
	});
	expect(await wait.run()).toBe(1);
});

test('an outage that lasts for two minutes is an error', async () => {
	const isOut = (time: number) => time > MINUTE;
	const wait = new Wait({ fault: (time) => (isOut(time) ? response(503) : undefined) });
	await expect(wait.run()).rejects.toMatchObject({ name: 'RequestFailure' });
	expect(wait.clock.now() / MINUTE).toBeGreaterThanOrEqual(2);
	expect(wait.clock.now() / MINUTE).toBeLessThan(4);
});

test('a first reading that fails is an error', async () => {
	const wait = new Wait({ fault: () => response(503) });
	await expect(wait.run()).rejects.toMatchObject({ name: 'RequestFailure' });
	expect(wait.readings).toHaveLength(1);
});

test('readings go back two minutes, become rarer, and the first and the last one are whole', async () => {
	const wait = new Wait({});
	await wait.run({ minutes: 25 });
	const pauses = wait.readings
		.slice(1)
		.map(({ at }, index) => at - (wait.readings[index]?.at ?? 0));
	const early = pauses.filter((pause) => pause < 6_000);
	expect(early.length).toBeGreaterThan(20);
	expect(early.length).toBeLessThan(30);
	expect(wait.readings.length).toBeLessThan(85);
	const whole = wait.readings.filter(({ from }) => from === -HOUR);
	// At the beginning, after 10 and 20 minutes, and at the end. Since nothing is there, the later ones ask for a day more.
	expect(whole).toHaveLength(1 + 2 * 3);
	const others = wait.readings.filter(({ from }) => from !== -HOUR);
	for (const { at, from } of others) {
		expect(at - from).toBeGreaterThan(2 * MINUTE);
		expect(at - from).toBeLessThan(2.6 * MINUTE);
	}
});

test('a reply to whoever waits from long ago makes the readings for others no longer', async () => {
	const messages = [{ id: 1, at: -30 * 24 * HOUR + MINUTE, from: '+15555550102' }];
	const wait = new Wait({ messages });
	const old = wait.poll.waitFor({ numbers: ['+15555550102'] }, 20 * MINUTE, EPOCH - 30 * 24 * HOUR);
	const [forOld, forNew] = await wait.clock.run(
		Promise.all([old, wait.poll.waitFor({ numbers: [CONTACT] }, 20 * MINUTE)]),
	);
	expect([forOld?.json.id, forNew]).toEqual([1, undefined]);
	const long = wait.readings.filter(({ from }) => from < -HOUR);
	expect(long).toHaveLength(1);
});

test('with a service that reads dates as days, a reply is found, and none that was there before', async () => {
	const messages = [
		{ id: 1, at: -10 * MINUTE },
		{ id: 2, at: 3 * MINUTE },
	];
	expect(await new Wait({ messages, needsSlack: true }).run()).toBe(2);
});

test('all who wait for different times end together with the reading that is due, each in its time', async () => {
	const wait = new Wait({});
	const minutes = Array.from({ length: 300 }, (_, index) => 10 + index / 10_000);
	await wait.clock.run(
		Promise.all(
			minutes.map(async (each) => await wait.poll.waitFor({ numbers: [CONTACT] }, each * MINUTE)),
		),
	);
	expect(wait.clock.now()).toBeGreaterThanOrEqual(10.03 * MINUTE);
	expect(wait.clock.now()).toBeLessThan(10.2 * MINUTE);
	expect(wait.readings.length).toBeLessThan(50);
});

test('however many wait, each message of a reading is looked at once', async () => {
	const count = 100;
	const contacts = Array.from({ length: count }, (_, index) => `+1555555${1_000 + index}`);
	const wait = new Wait({ messages: contacts.map((from, id) => ({ id, at: -MINUTE, from })) });
	const looks = jest.spyOn(ParsedMessage.prototype, 'people');
	await wait.clock.run(
		Promise.all(contacts.map(async (each) => await wait.poll.waitFor({ numbers: [each] }, MINUTE))),
	);
	expect(looks.mock.calls.length).toBeGreaterThanOrEqual(count);
	expect(looks.mock.calls.length).toBeLessThanOrEqual(count * wait.readings.length);
	looks.mockRestore();
});
