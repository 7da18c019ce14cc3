import { formatTable, type Column } from '../sandbox/demo/table.ts';
import type { Environment } from './environment.ts';
import type {
	Comparison,
	Delivery,
	Findings,
	GrowthPoint,
	Overhead,
	Reception,
	Target,
} from './results.ts';

const right = (title: string): Column => ({ title, align: 'right' });

const COMPARISON: Column[] = [
	{ title: 'Work' },
	right('This node'),
	right('HTTP Request'),
	right('Ratio'),
	{ title: 'Target' },
	{ title: '' },
	{ title: 'How HTTP Request was set' },
];

const DELIVERY: Column[] = [
	{ title: 'Window' },
	{ title: 'Node' },
	right('Accepted'),
	right('Lost'),
	right('Doubled'),
	right('429s'),
	right('Time'),
	right('of the least'),
	{ title: 'Target' },
	{ title: '' },
];

const GROWTH: Column[] = [right('Webhooks'), { title: 'Node' }, right('Time'), right('CPU of n8n')];

const OVERHEAD: Column[] = [
	{ title: 'Option of this node' },
	right('Without'),
	right('With'),
	right('Ratio'),
	{ title: 'Target' },
	{ title: '' },
];

const RECEPTION: Column[] = [
	{ title: 'Setting of n8n' },
	{ title: 'Node' },
	right('Events'),
	right('per second'),
	right('of Webhook'),
	right('CPU of n8n'),
	right('of Webhook'),
	{ title: 'Target' },
	{ title: '' },
];

/** Small figures with three digits, large ones without fractions. */
export function formatNumber(value: number): string {
	return value >= 100
		? Math.round(value).toLocaleString('en')
		: Number(value.toPrecision(3)).toString();
}

const verdict = (target?: Target) => (target ? (target.met ? 'met' : 'NOT MET') : '');

function comparisonRow(comparison: Comparison): string[] {
	const { what, unit, node, httpRequest, ratio, target, setting } = comparison;
	return [
		what,
		`${formatNumber(node.median)} ${unit}`,
		`${formatNumber(httpRequest.median)} ${unit}`,
		ratio.toFixed(2),
		target?.words ?? '',
		verdict(target),
		setting ?? '',
	];
}

function deliveryRow(delivery: Delivery): string[] {
	const { window, contender, sent, accepted, lost, doubled, refused, target } = delivery;
	return [
		window,
		contender,
		`${accepted} of ${sent}`,
		String(lost),
		String(doubled),
		String(refused),
		`${delivery.seconds.toFixed(1)} s`,
		delivery.timeRatio.toFixed(3),
		target?.words ?? '',
		verdict(target),
	];
}

function growthRow({ items, contender, milliseconds, cpuMilliseconds }: GrowthPoint): string[] {
	return [
		items.toLocaleString('en'),
		contender,
		`${formatNumber(milliseconds.median)} ms`,
		`${formatNumber(cpuMilliseconds.median)} ms`,
	];
}

function overheadRow(overhead: Overhead): string[] {
	const { what, without, ratio, target } = overhead;
	return [
		what,
		`${formatNumber(without.median)} ms`,
		`${formatNumber(overhead.with.median)} ms`,
		ratio.toFixed(2),
		target?.words ?? '',
		verdict(target),
	];
}

function receptionRow(reception: Reception): string[] {
	const { engine, contender, events, perSecond, cpuMilliseconds, target } = reception;
	return [
		engine,
		contender,
		events.toLocaleString('en'),
		formatNumber(perSecond.median),
		reception.rateRatio.toFixed(2),
		`${formatNumber(cpuMilliseconds.median)} ms`,
		reception.cpuRatio.toFixed(2),
		target?.words ?? '',
		verdict(target),
	];
}

function packageLine({ package: found }: Findings): string {
	if (!found) return '';
	const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`;
	return `Package: ${kilobytes(found.packedBytes)} packed, ${kilobytes(found.unpackedBytes)} unpacked, ${found.files} files.`;
}

/** All findings as text for the terminal. Ratios are the figure of these nodes divided by that of n8n's. */
export function reportOn(found: Findings, environment: Environment): string {
	const table = (columns: Column[], rows: string[][]) =>
		rows.length > 0 ? formatTable(columns, rows) : '';
	const { n8n, node, cores, loadAtStart } = environment;
	return [
		table(COMPARISON, found.comparisons.map(comparisonRow)),
		table(DELIVERY, found.deliveries.map(deliveryRow)),
		table(GROWTH, found.growth.map(growthRow)),
		table(OVERHEAD, found.overheads.map(overheadRow)),
		table(RECEPTION, found.receptions.map(receptionRow)),
		packageLine(found),
		`n8n ${n8n}, Node.js ${node}, ${cores} cores, load ${loadAtStart.toFixed(1)} at the start. Medians.`,
	]
		.filter(Boolean)
		.join('\n\n');
}
