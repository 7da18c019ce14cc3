import type { GrowthPoint } from '../results.ts';
import { COLORS, drawing, element, line, text } from './svg.ts';

const WIDTH = 860;
const HEIGHT = 440;
const LEFT = 80;
const RIGHT = 210;
const TOP = 84;
const BOTTOM = 60;
const LABEL_HEIGHT = 18;
const TICKS = 5;

const KINDS = [
	{ words: 'time', dashes: 'none', figure: 'milliseconds' },
	{ words: 'CPU', dashes: '6 5', figure: 'cpuMilliseconds' },
] as const;

interface Place {
	x: number;
	y: number;
}

interface Curve {
	name: string;
	color: string;
	dashes: string;
	places: Place[];
}

/** Numbers of items by powers of ten, from left to right. */
function itemScale(items: number[]): (value: number) => number {
	const first = Math.log10(Math.min(...items));
	const last = Math.log10(Math.max(...items));
	return (value) =>
		LEFT + ((Math.log10(value) - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT);
}

/** Milliseconds per item, from the bottom up to `most`. */
function costScale(most: number): (value: number) => number {
	return (value) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
}

function axes(items: number[], most: number): string[] {
	const x = itemScale(items);
	const y = costScale(most);
	const quiet = { fill: COLORS.quiet };
	const ticks = Array.from({ length: TICKS + 1 }, (_, index) => (most / TICKS) * index);
	return [
		...ticks.flatMap((tick) => [
			line(LEFT, y(tick), WIDTH - RIGHT, y(tick), { stroke: COLORS.grid }),
			text(LEFT - 10, y(tick) + 4, `${tick} ms`, { 'text-anchor': 'end', ...quiet }),
		]),
		...items.map((count) =>
			text(x(count), HEIGHT - BOTTOM + 20, count.toLocaleString('en'), {
				'text-anchor': 'middle',
				...quiet,
			}),
		),
		text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, 'webhooks', {
			'text-anchor': 'middle',
			...quiet,
		}),
	];
}

function draw({ color, dashes, places }: Curve): string[] {
	return [
		element('polyline', {
			points: places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' '),
			fill: 'none',
			stroke: color,
			'stroke-width': 2.5,
			'stroke-dasharray': dashes,
		}),
		...places.map(({ x, y }) =>
			element('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 4, fill: color }),
		),
	];
}

/** Names beside the ends of the curves, moved down where they would lie on each other. */
function labels(curves: Curve[]): string[] {
	let free = 0;
	return curves
		.map(({ name, color, places }) => ({ name, color, y: places.at(-1)?.y ?? 0 }))
		.toSorted((a, b) => a.y - b.y)
		.map(({ name, color, y }) => {
			const place = Math.max(y, free);
			free = place + LABEL_HEIGHT;
			return text(WIDTH - RIGHT + 12, place + 4, name, { fill: color, 'font-weight': 600 });
		});
}

/** Time and processor time per webhook call, over the number of calls. */
export function growthChart(growth: GrowthPoint[]): string {
	const items = [...new Set(growth.map((point) => point.items))];
	const names = [...new Set(growth.map(({ contender }) => contender))];
	const costs = growth.flatMap((point) =>
		KINDS.map(({ figure }) => point[figure].median / point.items),
	);
	const most = Math.ceil(Math.max(...costs) / TICKS) * TICKS;
	const x = itemScale(items);
	const y = costScale(most);
	const curves = names.flatMap((name, index) =>
		KINDS.map(({ words, dashes, figure }) => ({
			name: `${name}, ${words}`,
			color: index === 0 ? COLORS.thisNode : COLORS.other,
			dashes,
			places: growth
				.filter(({ contender }) => contender === name)
				.map((point) => ({ x: x(point.items), y: y(point[figure].median / point.items) })),
		})),
	);
	return drawing(WIDTH, HEIGHT, 'Cost of one webhook call, by the number of calls', [
		text(
			24,
			56,
			'Time of the node, and processor time of n8n for the whole execution. No rate limit.',
			{
				fill: COLORS.quiet,
			},
		),
		...axes(items, most),
		...curves.flatMap(draw),
		...labels(curves),
	]);
}
