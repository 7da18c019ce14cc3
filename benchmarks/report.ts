import { formatTable } from '../sandbox/demo/table.ts';
import type { Environment } from './environment.ts';
import type { Findings, Target } from './results.ts';
import type { Figure } from './statistics.ts';

/** A column of a table: its title, what is in it, and whether that is a number. */
type Column<Row> = [title: string, cell: (row: Row) => string | undefined, align?: 'right'];

const figure = ({ median }: Figure, unit = '') => `${formatNumber(median)} ${unit}`.trim();

/** Small figures with three digits, large ones without fractions. */
function formatNumber(value: number): string {
	return value >= 100
		? Math.round(value).toLocaleString('en')
		: Number(value.toPrecision(3)).toString();
}

const TARGET: Array<Column<{ target?: Target }>> = [
	['Target', ({ target }) => target?.words],
	['', ({ target }) => target && (target.met ? 'met' : 'NOT MET')],
];

function table<Row>(rows: Row[], columns: Array<Column<Row>>): string {
	if (rows.length === 0) return '';
	return formatTable(
		columns.map(([title, , align]) => ({ title, align })),
		rows.map((row) => columns.map(([, cell]) => cell(row) ?? '')),
	);
}

function packageLine({ package: found }: Findings): string {
	if (!found) return '';
	const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`;
	return `Package: ${kilobytes(found.packedBytes)} packed, ${kilobytes(found.unpackedBytes)} unpacked, ${found.files} files.`;
}

/** All findings as text for the terminal. Ratios are the figure of these nodes divided by that of n8n's. */
export function reportOn(found: Findings, environment: Environment): string {
	const { n8n, node, cores } = environment;
	return [
		table(found.comparisons, [
			['Work', ({ what }) => what],
			['This node', (row) => figure(row.node, row.unit), 'right'],
			['HTTP Request', (row) => figure(row.httpRequest, row.unit), 'right'],
			['Ratio', ({ ratio }) => ratio.toFixed(2), 'right'],
			...TARGET,
			['How HTTP Request was set', ({ setting }) => setting],
		]),
		table(found.deliveries, [
			['The service takes', ({ limit }) => limit],
			['Node', ({ contender }) => contender],
			['Accepted', ({ accepted, sent }) => `${accepted} of ${sent}`, 'right'],
			['Lost', ({ lost }) => String(lost), 'right'],
			['Doubled', ({ doubled }) => String(doubled), 'right'],
			['Refused', ({ refused }) => String(refused), 'right'],
			['Time', ({ seconds }) => `${seconds.toFixed(1)} s`, 'right'],
			['of the least', ({ timeRatio }) => timeRatio.toFixed(3), 'right'],
			...TARGET,
		]),
		table(found.growth, [
			['Webhooks', ({ items }) => items.toLocaleString('en'), 'right'],
			['Node', ({ contender }) => contender],
			['Time', ({ milliseconds }) => figure(milliseconds, 'ms'), 'right'],
			['CPU of n8n', ({ cpuMilliseconds }) => figure(cpuMilliseconds, 'ms'), 'right'],
		]),
		table(found.overheads, [
			['Option of this node', ({ what }) => what],
			['Without', ({ without }) => figure(without, 'ms'), 'right'],
			['With', (row) => figure(row.with, 'ms'), 'right'],
			['Ratio', ({ ratio }) => ratio.toFixed(2), 'right'],
			...TARGET,
		]),
		table(found.receptions, [
			['Setting of n8n', ({ engine }) => engine],
			['Node', ({ contender }) => contender],
			['Events', ({ events }) => events.toLocaleString('en'), 'right'],
			['per second', ({ perSecond }) => figure(perSecond), 'right'],
			['of Webhook', ({ rateRatio }) => rateRatio.toFixed(2), 'right'],
			['CPU of n8n', ({ cpuMilliseconds }) => figure(cpuMilliseconds, 'ms'), 'right'],
			['of Webhook', ({ cpuRatio }) => cpuRatio.toFixed(2), 'right'],
			...TARGET,
		]),
		table(found.responsiveness, [
			['Node or operation', ({ contender }) => contender],
			['Items', ({ items }) => items.toLocaleString('en'), 'right'],
			['Time per item', ({ perItemMs }) => `${formatNumber(perItemMs)} ms`, 'right'],
			['Event loop held up', ({ longestGapMs }) => `${formatNumber(longestGapMs)} ms`, 'right'],
			...TARGET,
		]),
		packageLine(found),
		`n8n ${n8n}, Node.js ${node}, ${cores} cores. Medians.`,
	]
		.filter(Boolean)
		.join('\n\n');
}
