/** Which entries of a list came before. */
import { areAmong, Seen } from '../../../nodes/MessagingService/api/seen';

const ids = (...all: number[]) => all.map((id) => ({ id }));

function seenOf(pages: unknown[][]): Seen {
	const seen = new Seen();
	for (const page of pages) seen.add(page);
	return seen;
}

test.each<[string, object, object, boolean]>([
	['the same text as ID', { id: 'a', body: 'x' }, { id: 'a', body: 'y' }, true],
	['the same number as ID', { id: 1, body: 'x' }, { id: 1, body: 'y' }, true],
	['a number as ID, and its text', { id: 1 }, { id: '1' }, false],
	['an inexact ID and the same content', { id: 2 ** 60, a: 1 }, { id: 2 ** 60, a: 1 }, true],
	['an inexact ID and other content', { id: 2 ** 60, a: 1 }, { id: 2 ** 60, a: 2 }, false],
	['no ID, and the same content on another page', { body: 'x' }, { body: 'x' }, false],
	['null as ID, and the same content', { id: null }, { id: null }, false],
])('%s: after %j, %j is known: %p', (_name, first, second, isKnown) => {
	const other = { id: 'other' };
	expect(seenOf([[first]]).add([second, other])).toEqual(isKnown ? [other] : [second, other]);
});

test('entries count once, and those with an ID for themselves', () => {
	const pages = [[{ id: 1 }, { body: 'x' }], ids(1, 2)];
	expect(seenOf(pages)).toMatchObject({ size: 3, identified: 2 });
});

test.each<[unknown[][], unknown[][], boolean]>([
	[[ids(1, 2), ids(3)], [ids(3), ids(2, 1)], true],
	[[ids(1, 2)], [ids(1, 2, 3)], false],
	[[ids(1, 2, 3)], [ids(1, 2)], false],
	[[ids(1, 2)], [ids(1, 3)], false],
	[[[{ body: 'x' }]], [[{ body: 'x' }]], true],
	[[[{ body: 'x' }]], [[{ body: 'y' }]], false],
])('the pages %j bring the same as %j: %p', (pages, others, isSame) => {
	expect(seenOf(pages).isSameAs(seenOf(others))).toBe(isSame);
});

test.each([
	[ids(1, 2), ids(3, 2, 1), true],
	[ids(1, 4), ids(1, 2), false],
])('the entries %j are among %j: %p', (entries, others, areThere) => {
	expect(areAmong(entries, others)).toBe(areThere);
});
