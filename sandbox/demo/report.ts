import type { ExampleResult } from './runExamples.ts';
import { formatTable, type Column } from './table.ts';

const COLUMNS: Column[] = [
	{ title: 'Workflow', maxWidth: 36 },
	{ title: 'Node', maxWidth: 32 },
	{ title: 'Does', maxWidth: 24 },
	{ title: 'Runs', align: 'right' },
	{ title: 'Items in', align: 'right' },
	{ title: 'Items out', align: 'right' },
	{ title: 'Time', align: 'right' },
	{ title: 'Outcome' },
];

const failedIn = ({ problem, rows }: ExampleResult) =>
	problem !== undefined || rows.some(({ outcome }) => outcome === 'failed');

function failures(result: ExampleResult): string[] {
	const nodes = result.rows.filter(({ error }) => error !== undefined);
	if (nodes.length > 0) {
		return nodes.map(({ workflow, node, error }) => `✗ ${workflow} › ${node}: ${error}`);
	}
	return result.problem ? [`✗ ${result.example.workflow.name}: ${result.problem}`] : [];
}

function summary(results: ExampleResult[], milliseconds: number): string {
	const ran = results.filter(({ skipped }) => skipped === undefined);
	const failed = ran.filter(failedIn).length;
	const nodes = ran.reduce((count, { rows }) => count + rows.length, 0);
	const left = results.length - ran.length;
	return [
		`${ran.length - failed} of ${ran.length} workflows ran through`,
		`${nodes} nodes`,
		...(failed > 0 ? [`${failed} failed`] : []),
		...(left > 0 ? [`${left} left out`] : []),
		`${(milliseconds / 1000).toFixed(1)} s`,
	].join(' · ');
}

/** The report on a run of all examples, and whether all is well. */
export function reportOn(
	results: ExampleResult[],
	milliseconds: number,
): { text: string; ok: boolean } {
	const rows = results.flatMap((result) =>
		result.rows.map((row) => [
			row.workflow,
			row.node,
			row.does,
			String(row.runs),
			String(row.itemsIn),
			String(row.itemsOut),
			`${row.milliseconds} ms`,
			row.outcome,
		]),
	);
	const skipped = results.flatMap(({ example, skipped: why }) =>
		why === undefined ? [] : [`- ${example.workflow.name}: ${why}`],
	);
	const problems = results.flatMap(failures);
	const parts = [formatTable(COLUMNS, rows), skipped.join('\n'), problems.join('\n')];
	return {
		text: [...parts.filter(Boolean), summary(results, milliseconds)].join('\n\n'),
		ok: !results.some(failedIn),
	};
}
