import { COLORS, drawing, element, line, text } from './svg.ts';

const WIDTH = 860;
const LABELS = 350;
const RIGHT = 70;
const TOP = 84;
const ROW = 44;
const BAR = 20;
const GAP = 6;
/** How wide a number is. */
const NUMBER = 36;
const GRID_STEP = 0.25;
/** Longer bars are cut off. */
const LONGEST = 1.5;

/** One thing that was compared. */
export interface RatioBar {
	what: string;
	/** In smaller letters below. */
	setting?: string;
	ratio: number;
}

/** What the bars are about. */
export interface Heading {
	title: string;
	/** How to read the bars. */
	subtitle: string;
}

const scale = (ratio: number) =>
	LABELS + (Math.min(ratio, LONGEST) / LONGEST) * (WIDTH - LABELS - RIGHT);

/** Where the number of a bar begins: behind the bar, and not across the line at 1. */
function besideBar(ratio: number): number {
	const end = scale(ratio) + GAP;
	return end < scale(1) && end + NUMBER > scale(1) ? scale(1) + GAP : end;
}

function grid(bottom: number): string[] {
	const count = Math.floor(LONGEST / GRID_STEP) + 1;
	return Array.from({ length: count }, (_, index) => index * GRID_STEP).flatMap((ratio) => [
		line(scale(ratio), TOP - 8, scale(ratio), bottom, {
			stroke: ratio === 1 ? COLORS.other : COLORS.grid,
			'stroke-width': ratio === 1 ? 2 : 1,
		}),
		text(scale(ratio), bottom + 18, String(ratio), {
			'text-anchor': 'middle',
			fill: COLORS.quiet,
		}),
	]);
}

function bar({ what, setting = '', ratio }: RatioBar, index: number): string[] {
	const y = TOP + index * ROW;
	return [
		text(LABELS - 12, y + 11, what, { 'text-anchor': 'end' }),
		text(LABELS - 12, y + 26, setting, {
			'text-anchor': 'end',
			fill: COLORS.quiet,
			'font-size': 11,
		}),
		element('rect', {
			x: LABELS,
			y: y + 2,
			width: scale(ratio) - LABELS,
			height: BAR,
			fill: COLORS.thisNode,
		}),
		text(besideBar(ratio), y + 17, ratio.toFixed(2), { 'font-weight': 600 }),
	];
}

/** A bar for each comparison: the share that a node takes of what another takes. */
export function ratioChart(bars: RatioBar[], { title, subtitle }: Heading): string {
	const bottom = TOP + bars.length * ROW;
	return drawing(WIDTH, bottom + 40, title, [
		text(24, 56, subtitle, { fill: COLORS.quiet }),
		...grid(bottom),
		...bars.flatMap(bar),
	]);
}
