/** From when on the example that keeps the opt-outs reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { DateTime } from 'luxon';

import { ROOT } from '../../../sandbox/n8n/paths';

const file = readFileSync(join(ROOT, 'examples', 'keep-the-opt-outs.json'), 'utf8');
const { nodes }: { nodes: Array<{ name: string; parameters: { filters?: { after?: string } } }> } =
	JSON.parse(file);
const after = nodes.find(({ name }) => name === 'What came in')?.parameters.filters?.after ?? '';
const [, source = ''] = /^=\{\{(.*)\}\}$/.exec(after) ?? [];
type Row = { until?: string | null };
// As n8n evaluates an expression.
const evaluate = new Function('$json', '$now', 'DateTime', `return ${source}`) as (
	$json: Row,
	$now: DateTime,
	luxon: typeof DateTime,
) => DateTime;

/** The hours before a run from which on it reads. */
function hoursRead(now: DateTime, until?: DateTime): number {
	const row = until ? { until: until.toUTC().toISO() } : {};
	return now.diff(evaluate(row, now, DateTime), 'hours').hours;
}

const noon = DateTime.fromISO('2026-01-15T12:00:00');

test('the first run reads everything', () => {
	expect(hoursRead(noon)).toBeGreaterThan(24 * 365 * 25);
});

test('a day of runs reads two days once an hour, and little more than an hour in the others', () => {
	const runs = Array.from({ length: 24 * 12 }, (_, index) => noon.plus({ minutes: 5 * index }));
	const read = runs.map((now) => hoursRead(now, now.minus({ minutes: 5 })));
	expect(read.filter((hours) => hours > 1.1)).toHaveLength(24);
	expect(Math.max(...read)).toBeGreaterThanOrEqual(48);
	expect(Math.min(...read)).toBeGreaterThan(1);
});

test.each([0.2, 1, 24, 24 * 30])(
	'after %p hours without a good run, nothing is left out',
	(hours) => {
		const minutes = Array.from({ length: 60 }, (_, minute) => noon.plus({ minutes: minute }));
		for (const now of minutes) {
			const read = hoursRead(now, now.minus({ hours }));
			expect(read).toBeGreaterThanOrEqual(hours + (hours < 1 ? 1 : 48));
		}
	},
);
