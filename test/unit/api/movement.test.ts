/** Whether a list moved while it was read, told by its pages. */
import { Movement } from '../../../nodes/MessagingService/api/movement';

type Observation = Parameters<Movement['note']>[0];

/** Pages of two entries each, read one after the other unless they say something else. */
function noted(...pages: Array<Partial<Observation>>): Movement {
	const movement = new Movement();
	let identified = 0;
	for (const page of pages) {
		const observation = { total: 10, fresh: 2, known: 0, isSideBySide: false, ...page };
		identified += observation.fresh;
		movement.note({ identified, ...observation });
	}
	return movement;
}

const sideBySide = { isSideBySide: true };

test.each<[string, Array<Partial<Observation>>, boolean]>([
	['nothing was read', [], false],
	['it stood still', [{}, {}], false],
	['entries were taken away', [{}, { total: 9 }], true],
	['entries were taken away and others came', [{}, { total: 9 }, { total: 10 }], true],
	['entries came, and pages repeat some', [{}, { total: 11, fresh: 1, known: 1 }], false],
	['it stood still, side by side', [{}, sideBySide, sideBySide], false],
	['entries came, side by side', [{}, { ...sideBySide, total: 11 }], true],
	['entries came after others were read side by side', [{}, sideBySide, { total: 11 }], true],
	['a page repeats some, side by side', [{}, { ...sideBySide, fresh: 1, known: 1 }, {}], true],
	['a page repeats all, side by side', [{}, { ...sideBySide, fresh: 0, known: 2 }], false],
	['a page says no total', [{}, { total: undefined }, {}], false],
	['entries were taken away beside one', [{}, { total: undefined }, { total: 9 }], true],
	['no page says a total, side by side', [{ total: undefined }, { total: undefined }], false],
	['the total is all that came', [{ total: 4 }, { total: 3 }], true],
	['the total counts something else', [{ total: 3 }, { total: 2 }], false],
	['the same, side by side', [{ total: 3 }, { ...sideBySide, total: 2 }], false],
	['the total counted something else only later', [{}, { total: 3 }], true],
])('%s', (_, pages, maySlip) => {
	expect(noted(...pages).maySlip).toBe(maySlip);
});

test.each([
	[[10, 10], false],
	[[10, 11, 10], true],
	[[undefined, 10], false],
	[[10, undefined, 10], false],
])('totals %j: has changed is %s', (totals, hasChanged) => {
	expect(noted(...totals.map((total) => ({ total }))).hasChanged).toBe(hasChanged);
});
