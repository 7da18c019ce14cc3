import {
	parseMessage,
	type ParsedMessage,
} from '../../../nodes/MessagingService/resources/message/message';
import {
	newIn,
	type PollMemory,
	recall,
	remember,
	startOfReading,
} from '../../../nodes/MessagingService/trigger/pollMemory';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOON = Date.parse('2026-06-15T12:00:00Z');

/** A message that is dated so many milliseconds after noon; one without a date when left out. */
const message = (id: string, after?: number): ParsedMessage =>
	parseMessage({
		id,
		timestamp: after === undefined ? null : new Date(NOON + after).toISOString(),
	});

/** A trigger that polls, with what n8n stores of it. */
class Poller {
	stored: Partial<PollMemory> = {};

	/** Polls so many milliseconds after noon, and reads these of the messages that are dated late enough. */
	poll(after: number, messages: ParsedMessage[], source = 'all') {
		const now = NOON + after;
		const last = recall(this.stored, source, now);
		const start = startOfReading(last, now);
		const read = messages.filter(({ date }) => date === undefined || date > start);
		const ids = newIn(read, last).map(({ json }) => json.id);
		this.stored = JSON.parse(JSON.stringify(remember(last, read, source, now)));
		return ids;
	}

	get known(): string[] {
		return Object.keys(this.stored.knownDates ?? {});
	}
}

test('a message that several polls pass over is not new when it is there again', () => {
	const poller = new Poller();
	const [one, two] = [message('one', -HOUR), message('two', 0)];
	poller.poll(0, [one]);
	expect(poller.poll(HOUR, [two])).toEqual(['two']);
	expect(poller.poll(2 * HOUR, [])).toEqual([]);
	expect(poller.poll(DAY, [])).toEqual([]);
	expect(poller.poll(DAY + HOUR, [one, two])).toEqual([]);
});

test('what the next poll cannot read again is forgotten, and nothing else', () => {
	const poller = new Poller();
	const messages = [message('one', -HOUR), message('two', HOUR)];
	poller.poll(0, messages);
	poller.poll(2 * DAY - 2 * HOUR, messages);
	expect(poller.known).toEqual(['one', 'two']);
	poller.poll(2 * DAY, messages);
	expect(poller.known).toEqual(['two']);
	expect(poller.poll(2 * DAY + 1, messages)).toEqual([]);
});

test('a message without a date is forgotten two days after it was read last', () => {
	const poller = new Poller();
	poller.poll(0, [message('one')]);
	expect(poller.poll(5 * DAY, [message('one')])).toEqual([]);
	expect(poller.poll(6 * DAY, [])).toEqual([]);
	expect(poller.poll(7 * DAY - 1, [message('one')])).toEqual([]);
	poller.poll(9 * DAY, []);
	expect(poller.known).toEqual([]);
});

test('no poll reads further back than the one before, also if the clock is set back', () => {
	const poller = new Poller();
	const messages = [message('old', -3 * DAY), message('one', -DAY), message('undated')];
	poller.poll(0, messages);
	for (const after of [-1.5 * DAY, -DAY]) expect(poller.poll(after, messages)).toEqual([]);
	expect(poller.poll(0, [...messages, message('two', -1)])).toEqual(['two']);
});

test('after the clock was set back by more than two days, a poll is a first one again', () => {
	const poller = new Poller();
	poller.poll(1_000 * DAY, []);
	const messages = [message('one', 0)];
	expect(poller.poll(HOUR, messages)).toEqual([]);
	expect(poller.poll(2 * HOUR, [...messages, message('two', HOUR)])).toEqual(['two']);
});

test('after the clock was set back by a day, messages are found as before', () => {
	const poller = new Poller();
	poller.poll(DAY, [message('one', -HOUR)]);
	expect(poller.poll(0, [message('one', -HOUR), message('two', 0)])).toEqual(['two']);
});

test('in another account or choice of inboxes, a poll is a first one', () => {
	const poller = new Poller();
	poller.poll(0, [message('one', 0)]);
	expect(poller.poll(1, [message('one', 0), message('two', 0)], 'some')).toEqual([]);
	expect(poller.poll(2, [message('two', 0), message('three', 0)], 'some')).toEqual(['three']);
});

test('an ID may be any word', () => {
	const poller = new Poller();
	poller.poll(0, []);
	const messages = ['__proto__', 'constructor', '1'].map((id) => message(id, 0));
	expect(poller.poll(1, messages)).toEqual(['__proto__', 'constructor', '1']);
	expect(poller.poll(2, messages)).toEqual([]);
});
