import type { IDataObject } from 'n8n-workflow';
import type { MessageFilters } from '../../../../nodes/MessagingService/resources/message/filters';
import {
	rememberRun,
	sinceEarlierRuns,
	takeNew,
} from '../../../../nodes/MessagingService/resources/message/onlyNew';
import { ProcessedStore } from '../../memory/processedStore';
import { contextWith } from '../../memory/world';

const NONE: MessageFilters = { inboxIds: [] };
const at = (timestamp: string) => ({ timestamp });
const DAY = 24 * 60 * 60_000;

/** A node that keeps its memory from run to run. */
function nodeWith(staticData: IDataObject = {}) {
	const store = new ProcessedStore();
	const context = contextWith(store, 'workflow', { getWorkflowStaticData: () => staticData });
	const as = (account: string) => ({ context, account });
	const run = as('first');
	/** The lower bound of the next run. */
	const since = (filters = NONE) => sinceEarlierRuns(run, filters).after?.toISOString();
	return { store, run, as, since };
}

describe('where a run begins', () => {
	test('is a day before the newest message of the runs before', () => {
		const { run, since } = nodeWith();
		expect(since()).toBeUndefined();
		rememberRun(run, NONE, [at('2026-01-31T08:00:00Z'), at('2026-01-30T00:00:00Z'), {}]);
		expect(since()).toBe('2026-01-30T08:00:00.000Z');
		rememberRun(run, NONE, [at('2026-01-31T07:00:00Z')]);
		expect(since()).toBe('2026-01-30T08:00:00.000Z');
	});

	test('is not moved by a run without messages', () => {
		const { run, since } = nodeWith();
		rememberRun(run, NONE, []);
		expect(since()).toBeUndefined();
	});

	test('is not moved beyond now by a message that is dated in the future', () => {
		const { run, since } = nodeWith();
		rememberRun(run, NONE, [at('2999-01-01T00:00:00Z')]);
		const tomorrow = Date.parse(since() ?? '') + DAY;
		expect(Math.abs(tomorrow - Date.now())).toBeLessThan(60_000);
	});

	test('is never before the filter', () => {
		const { run, since } = nodeWith();
		const after = new Date('2026-01-31T06:00:00Z');
		const filters = { inboxIds: [], after };
		rememberRun(run, filters, [at('2026-01-31T08:00:00Z')]);
		expect(since(filters)).toBe(after.toISOString());
	});

	test('is forgotten when the filters change, but not with the order of inboxes', () => {
		const { run, since } = nodeWith();
		const filters = { inboxIds: ['b', 'a'], before: new Date('2026-02-01') };
		rememberRun(run, filters, [at('2026-01-31T08:00:00Z')]);
		expect(since({ ...filters, inboxIds: ['a', 'b'] })).toBe('2026-01-30T08:00:00.000Z');
		expect(filters.inboxIds).toEqual(['b', 'a']);
		for (const other of [
			NONE,
			{ ...filters, inboxIds: ['a'] },
			{ ...filters, before: undefined },
			{ ...filters, after: new Date('2026-01-01') },
		]) {
			expect(since(other)).toBe(other.after?.toISOString());
		}
		rememberRun(run, NONE, [at('2025-01-31T08:00:00Z')]);
		expect(since()).toBe('2025-01-30T08:00:00.000Z');
	});
});

describe('what is new', () => {
	const messages = [3, 2, 1].map((id) => ({ id, ...at(`2026-01-0${id}T00:00:00Z`) }));

	test('are messages that no earlier run returned, in the order of the list', async () => {
		const { run } = nodeWith();
		expect(await takeNew(run, messages.slice(1), Infinity)).toEqual(messages.slice(1));
		expect(await takeNew(run, messages, Infinity)).toEqual([messages[0]]);
		expect(await takeNew(run, messages, Infinity)).toEqual([]);
	});

	test('begins afresh for another account, and goes on for the first', async () => {
		const { run, as } = nodeWith();
		for (const account of [run, as('second')]) {
			expect(await takeNew(account, messages, Infinity)).toEqual(messages);
			rememberRun(account, NONE, messages);
			expect(sinceEarlierRuns(account, NONE).after).toBeDefined();
			expect(sinceEarlierRuns(as('third'), NONE).after).toBeUndefined();
		}
		expect(await takeNew(run, messages, Infinity)).toEqual([]);
	});

	test('are the oldest where there are more than wanted', async () => {
		const { run } = nodeWith();
		const left = [...messages];
		for (const oldest of [...messages].reverse()) {
			expect(await takeNew(run, messages, 1)).toEqual([oldest]);
			left.pop();
		}
		expect(await takeNew(run, messages, 1)).toEqual(left);
	});

	test('are found behind many known ones with few calls of the store', async () => {
		const { run, store } = nodeWith();
		const list = Array.from({ length: 8_000 }, (_, id) => ({ id }));
		await takeNew(run, list.slice(0, 7_900), Infinity);
		store.calls.length = 0;
		expect(await takeNew(run, list, 50)).toEqual(list.slice(7_900, 7_950));
		expect(store.calls.length).toBeLessThan(20);
		expect(await takeNew(run, list, Infinity)).toEqual(list.slice(7_950));
	});

	test('are found with one look at the date of each, however many come in whatever order', async () => {
		const { run } = nodeWith();
		const day = (id: number) => new Date(((id * 7) % 1_000) * DAY).toISOString();
		const list = Array.from({ length: 1_000 }, (_, id) => ({ id, ...at(day(id)) }));
		const looks = jest.spyOn(Date, 'parse');
		expect(await takeNew(run, list, Infinity)).toEqual(list);
		expect(looks.mock.calls.length).toBeLessThanOrEqual(list.length);
		looks.mockRestore();
	});

	test('are all that cannot be told apart', async () => {
		const { run } = nodeWith();
		const strange = [{ body: 'a' }, { id: null }];
		for (let runs = 0; runs < 2; runs++) {
			expect(await takeNew(run, strange, Infinity)).toEqual(strange);
		}
	});

	// The list of an earlier run must not be pushed out by the next ones.
	test.each([
		[100, 20, 50],
		[30_000, 1, 90_000],
	])('are known: %i messages after %i runs with %i', async (count, runs, size) => {
		const { run } = nodeWith();
		const listOf = (name: string, length: number) =>
			Array.from({ length }, (_, i) => ({ id: `${name}-${i}` }));
		await takeNew(run, listOf('many', count), Infinity);
		for (let i = 0; i < runs; i++) await takeNew(run, listOf(`${i}`, size), Infinity);
		expect(await takeNew(run, listOf('many', count), Infinity)).toEqual([]);
	});
});
