/** What runs remember of the messages that they returned. */
import type { IDataObject } from 'n8n-workflow';
import type { MessageFilters } from '../../../../nodes/MessagingService/resources/message/filters';
import { NewMessages } from '../../../../nodes/MessagingService/resources/message/onlyNew';
import type { Found } from '../../../../nodes/MessagingService/resources/message/sharedReads';
import type { Run } from '../../../../nodes/MessagingService/resources/operation';
import { fake } from '../../helpers/fake';

const ALL: MessageFilters = { inboxIds: [], statuses: [] };

/** A message of a day in January 2026, which is its ID, too. */
const of = (day: number): IDataObject => ({ id: day, timestamp: dayOf(day).toISOString() });
const dayOf = (day: number) => new Date(Date.UTC(2026, 0, day));

/** What is found of the messages of some days, newest first. */
function found(days: number[], { isWhole = true } = {}): Found {
	return { items: days.map(of), newest: dayOf(Math.max(...days)).getTime(), isWhole };
}

let workflows = 0;

/** Runs of one workflow, each of which returns what is new for each of its items. */
function workflow() {
	const staticData = {};
	const id = `workflow-${workflows++}`;
	const context = {
		getMode: () => 'trigger',
		getWorkflowStaticData: () => staticData,
		getWorkflow: () => ({ id }),
		getNode: () => ({ id: 'node' }),
		getExecutionId: () => 'execution',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		helpers: { checkProcessedAndRecord: () => Promise.resolve({ new: [], processed: [] }) },
	};
	return async (...items: Array<{ list: Found; filters?: MessageFilters; limit?: number }>) => {
		const newMessages = new NewMessages(
			fake<Run>({ accountKey: 'account', context, notices: { add: () => {} } }),
		);
		const taken = items.map(({ list, filters = ALL, limit = Infinity }) => {
			const { after = new Date(0) } = newMessages.since(filters);
			const messages = list.items.filter(
				({ timestamp }) => !(new Date(String(timestamp)) <= after),
			);
			return newMessages.take({ filters, limit }, { ...list, items: messages }).map(({ id }) => id);
		});
		await newMessages.remember(true);
		return taken;
	};
}

test('what a list lacks comes with a later run, and what it had does not come again', async () => {
	const run = workflow();
	expect(await run({ list: found([9, 8, 3]) })).toEqual([[9, 8, 3]]);
	expect(await run({ list: found([12, 10], { isWhole: false }) })).toEqual([[12, 10]]);
	expect(await run({ list: found([12, 11, 9], { isWhole: false }) })).toEqual([[11]]);
	expect(await run({ list: found([12, 11, 10, 9]) })).toEqual([[]]);
});

test('what a long list lacks comes with a later run, too', async () => {
	const run = workflow();
	const days = Array.from({ length: 60_000 }, (_, index) => 60_000 - index);
	const first = { ...found(days.slice(0, 55_000), { isWhole: false }), gap: { cause: 'any' } };
	expect((await run({ list: first })).flat()).toHaveLength(55_000);
	const [rest] = await run({ list: found(days) });
	expect(rest?.slice(-5_000)).toEqual(days.slice(55_000));
});

test('dates that change from run to run forget nothing that was returned', async () => {
	const run = workflow();
	const at = (hour: number) => new Date(Date.UTC(2026, 0, 9, hour));
	const message = { id: 1, timestamp: at(12).toISOString() };
	const list = { items: [message], newest: at(12).getTime(), isWhole: true };
	expect(await run({ list })).toEqual([[1]]);
	const none = { items: [], newest: -Infinity, isWhole: true };
	expect(await run({ list: none, filters: { ...ALL, before: at(11) } })).toEqual([[]]);
	expect(await run({ list: none, filters: { ...ALL, after: at(13) } })).toEqual([[]]);
	expect(await run({ list })).toEqual([[]]);
});

test('a message without an ID comes once, and one beyond 2^53 is not taken for another', async () => {
	const run = workflow();
	const items = JSON.parse(
		'[{"body": "Hi"}, {"body": "Hello"}, {"id": 12345678901234567890, "body": "Yes"}]',
	);
	const other = JSON.parse('{"id": 12345678901234567891, "body": "No"}');
	const list = (messages: IDataObject[]) => ({ ...found([9]), items: messages });
	expect((await run({ list: list(items) })).flat()).toHaveLength(3);
	expect((await run({ list: list([...items, other]) })).flat()).toHaveLength(1);
});

test('several items with one query and different dates get the rest with the next runs', async () => {
	const run = workflow();
	const items = [
		{ filters: { ...ALL, after: dayOf(20) }, list: found([25, 24, 21]), limit: 2 },
		{ filters: { ...ALL, before: dayOf(10) }, list: found([9, 8, 1]), limit: 2 },
	];
	expect(await run(...items)).toEqual([
		[24, 21],
		[8, 1],
	]);
	expect(await run(...items)).toEqual([[25], [9]]);
	expect(await run(...items)).toEqual([[], []]);
});
