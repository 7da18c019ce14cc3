import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

import type { Comparison, GrowthPoint, MemoryPoint, Reception } from './results.ts';
import type { MemorySample } from './soak/memory.ts';

const THIS_NODE = '#0b6bcb';
const OTHER = '#b3541e';
const QUIET = '#59636e';
const WIDTH = 860;
const DASHES = [
	[1, 0],
	[6, 5],
];

/**
 * What all charts have in common: a heading, and room for the labels, which cannot be measured here. White,
 * so that they can be read on a dark page too.
 */
const frame = (text: string, subtitle: string, { left = 80, right = 30 } = {}) =>
	({
		description: text,
		title: { text, subtitle, anchor: 'start', frame: 'group', dx: 24 - left, offset: 20 },
		width: WIDTH - left - right,
		autosize: 'none',
		padding: { left, right, top: 84, bottom: 56 },
		background: 'white',
		config: {
			font: 'system-ui, sans-serif',
			title: { fontSize: 17, subtitleFontSize: 13, subtitleColor: QUIET, subtitlePadding: 8 },
			axis: {
				labelFontSize: 12,
				labelColor: QUIET,
				labelLimit: 0,
				labelPadding: 8,
				titleColor: QUIET,
				titleFontWeight: 'normal',
				titlePadding: 12,
				ticks: false,
				domain: false,
			},
			legend: {
				title: null,
				labelFontSize: 13,
				labelLimit: 0,
				symbolType: 'stroke',
				symbolSize: 900,
				symbolStrokeWidth: 2.5,
			},
			view: { stroke: null },
		},
	}) satisfies Partial<TopLevelSpec>;

async function draw(spec: TopLevelSpec): Promise<string> {
	const view = new View(parse(compile(spec).spec), { renderer: 'none' });
	return `${await view.toSVG()}\n`;
}

/** One thing that was compared, and in which setting. */
type RatioBar = Pick<Comparison, 'what' | 'setting' | 'ratio'>;

/** A bar for each comparison: the share that a node takes of what another takes. */
async function ratioChart(title: string, subtitle: string, bars: RatioBar[]): Promise<string> {
	const number = { type: 'text', align: 'left', dx: 6, fontSize: 13, fontWeight: 600 } as const;
	const label = { type: 'text', align: 'right', fontSize: 13 } as const;
	const text = { field: 'ratio', type: 'quantitative', format: '.2f' } as const;
	return await draw({
		...frame(title, subtitle, { left: 500, right: 60 }),
		height: bars.length * 44,
		data: {
			values: bars.map(({ what, setting = '', ratio }, row) => ({ row, what, setting, ratio })),
		},
		layer: [
			{ mark: { type: 'rule', size: 2, color: OTHER }, encoding: { x: { datum: 1 } } },
			{
				encoding: {
					x: {
						field: 'ratio',
						type: 'quantitative',
						title: null,
						axis: { values: [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5], format: '.2~f', grid: true },
						// Longer bars are cut off.
						scale: { domain: [0, 1.5], clamp: true },
					},
					y: { field: 'row', type: 'ordinal', axis: null },
				},
				layer: [
					{ mark: { type: 'bar', size: 20, color: THIS_NODE } },
					// The number stays readable where it is across the line at 1.
					{ mark: { ...number, stroke: 'white', strokeWidth: 6 }, encoding: { text } },
					{ mark: number, encoding: { text } },
					{ mark: { ...label, dy: -8 }, encoding: { x: { value: -12 }, text: { field: 'what' } } },
					{
						mark: { ...label, dy: 8, fontSize: 11, color: QUIET },
						encoding: { x: { value: -12 }, text: { field: 'setting' } },
					},
				],
			},
		],
	});
}

/** Time, processor time and memory of the action node, beside those of the HTTP Request node. */
export async function comparisonChart(comparisons: Comparison[]): Promise<string> {
	return await ratioChart(
		'This node beside the HTTP Request node',
		'Its figure divided by that of the HTTP Request node (1). Shorter is better.',
		comparisons,
	);
}

/** Time and processor time for each event, beside those of the Webhook node. */
export async function eventChart(receptions: Reception[]): Promise<string> {
	return await ratioChart(
		'The trigger beside the Webhook node',
		'Per event; divided by that of the Webhook node with header authentication (1). Shorter is better.',
		receptions
			// The Webhook node itself has no target.
			.filter(({ target }) => target)
			.flatMap(({ contender, engine, rateRatio, cpuRatio }) => [
				{ what: `${contender}: time`, setting: engine, ratio: 1 / rateRatio },
				{ what: `${contender}: CPU`, setting: engine, ratio: cpuRatio },
			]),
	);
}

/** A line for each cost and contender, by a number. */
const lineChart = (
	values: object[],
	x: { field: string; title: string; scale: object; axis: object },
) =>
	({
		height: 300,
		data: { values },
		encoding: {
			x: { ...x, type: 'quantitative' },
			y: {
				field: 'cost',
				type: 'quantitative',
				title: null,
				axis: { labelExpr: "datum.label + ' ms'" },
			},
			color: { field: 'contender', sort: null, scale: { range: [THIS_NODE, OTHER] } },
		},
		layer: [
			{
				mark: { type: 'line', strokeWidth: 2.5 },
				encoding: { strokeDash: { field: 'figure', sort: null, scale: { range: DASHES } } },
			},
			{ mark: { type: 'circle', size: 60, opacity: 1 } },
		],
	}) satisfies Partial<TopLevelSpec>;

/** Time and processor time for each webhook call, by the number of calls. */
export async function growthChart(growth: GrowthPoint[]): Promise<string> {
	const values = growth.flatMap(({ contender, items, milliseconds, cpuMilliseconds }) => [
		{ contender, items, figure: 'time', cost: milliseconds.median / items },
		{ contender, items, figure: 'CPU', cost: cpuMilliseconds.median / items },
	]);
	return await draw({
		...frame(
			'Cost of one webhook call, by the number of calls',
			'Time of the node, and processor time of n8n for the whole execution. No rate limit.',
			{ right: 210 },
		),
		...lineChart(values, {
			field: 'items',
			title: 'webhooks',
			scale: { type: 'log' },
			axis: { values: [...new Set(growth.map(({ items }) => items))], format: ',', grid: false },
		}),
	});
}

/** Time and processor time for each webhook call with Send Once, by the number of keys that are remembered. */
export async function knownKeysChart(memory: MemoryPoint[]): Promise<string> {
	const contender = 'Send Once';
	const values = memory.flatMap(({ keys, time, cpu }) => [
		{ contender, keys, figure: 'time', cost: time.median },
		{ contender, keys, figure: 'CPU', cost: cpu.median },
	]);
	return await draw({
		...frame(
			'Cost of one webhook call with Send Once, by the number of remembered keys',
			'Time of the node, and processor time of n8n, per call of a run of 1,000 at 50 ms latency.',
			{ right: 210 },
		),
		...lineChart(values, {
			field: 'keys',
			title: 'remembered keys',
			scale: { type: 'symlog', constant: 10_000 },
			axis: { values: memory.map(({ keys }) => keys), format: ',', grid: false },
		}),
	});
}

/** The memory of n8n over time; a gap is a restart. */
export async function memoryChart(samples: MemorySample[]): Promise<string> {
	return await draw({
		...frame(
			'Memory of n8n while everything goes on at once',
			'Resident memory of the main process. A gap is a restart.',
		),
		height: 220,
		data: {
			values: samples.map(({ at, bytes, life }) => ({
				minutes: at / 60,
				megabytes: bytes / 1_000_000,
				life,
			})),
		},
		mark: { type: 'line', strokeWidth: 2, color: THIS_NODE },
		encoding: {
			x: {
				field: 'minutes',
				type: 'quantitative',
				title: null,
				scale: { nice: false },
				axis: { labelExpr: "datum.label + ' min'", grid: false },
			},
			y: {
				field: 'megabytes',
				type: 'quantitative',
				title: null,
				axis: { labelExpr: "datum.label + ' MB'" },
			},
			detail: { field: 'life' },
		},
	});
}
