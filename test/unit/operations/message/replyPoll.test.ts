import { type Answer, RequestFailure } from '../../../../nodes/MessagingService/api/request';
import { ParsedMessage } from '../../../../nodes/MessagingService/operations/message/message';
import { ReplyPoll } from '../../../../nodes/MessagingService/operations/message/replyPoll';
import { response } from '../../helpers/api';
import { VirtualClock } from '../../helpers/virtualClock';

const EPOCH = Date.parse('2026-01-31T08:00:00.500Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const INBOX = '+15555550199';
const CONTACT = '+15555550101';

/** A message, in milliseconds after the beginning of the wait. */
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
}

/** Waits for a contact of a simulated service. */
class Wait {
	readonly clock = new VirtualClock(0);
	readonly end = new AbortController();
	readings = 0;
	/** The moment that the latest reading began with, in milliseconds after the beginning of the wait. */
	from?: number;
	readonly poll: ReplyPoll;

	constructor({ messages = [], fault }: World) {
		const readSince = async (date: number): Promise<ParsedMessage[]> => {
			await this.clock.wait(50);
			this.readings++;
			this.from = date - EPOCH;
			const answer = fault?.(this.clock.now());
			if (answer) throw failureOf(answer);
			const time = this.clock.now();
			const shown = messages.filter(({ at, shownAt = at }) => at > date - EPOCH && shownAt <= time);
			return shown.map(toMessage);
		};
		const { clock, end } = this;
		this.poll = new ReplyPoll({ readSince, startedAt: EPOCH, clock, signal: end.signal });
	}

	/** The ID of the contact's reply; undefined when there is none. */
	async run({ after, minutes = 10 }: { after?: number; minutes?: number } = {}): Promise<unknown> {
		const wait = this.poll.waitFor([CONTACT], minutes * MINUTE, after);
		return (await this.clock.run(wait))?.json.id;
	}
}

function toMessage({ id, at, from = CONTACT }: Written): ParsedMessage {
	return new ParsedMessage({
		id,
		inbound: from !== INBOX,
		sender: from,
		members: [from, INBOX],
		timestamp: new Date(EPOCH + at).toISOString(),
	});
}

function failureOf(answer: Answer): RequestFailure {
	const read = { method: 'GET', path: '/', repeat: 'idempotent', origin: '', timeout: 1 } as const;
	return new RequestFailure(read, answer, 'refused');
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

test('messages are read from an hour ago on, or from the earliest moment that somebody waits from', async () => {
	const messages = [
		// The first reading, for the other one, does not reach so far.
		{ id: 0, at: -4.5 * HOUR },
		{ id: 1, at: -3 * HOUR },
		{ id: 2, at: -2 * HOUR, shownAt: MINUTE },
	];
	const wait = new Wait({ messages });
	const wholly = [undefined, EPOCH - 4 * HOUR].map(
		async (after) => await wait.poll.waitFor([CONTACT], 2 * MINUTE, after),
	);
	const [forNew, forDated] = await wait.clock.run(Promise.all(wholly));
	expect(wait.from).toBe(-5 * HOUR);
	expect(forDated?.json.id).toBe(1);
	// What is dated earlier than an hour ago is read only for the other one.
	expect(forNew).toBeUndefined();
	const alone = new Wait({ messages: [{ id: 1, at: -59 * MINUTE, shownAt: MINUTE }] });
	expect(await alone.run()).toBe(1);
	expect(alone.from).toBe(-HOUR);
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
	expect(wait.readings).toBe(1);
});
