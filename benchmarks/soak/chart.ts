import { COLORS, drawing, element, line, text } from '../charts/svg.ts';
import type { MemorySample } from './memory.ts';

const WIDTH = 860;
const HEIGHT = 360;
const LEFT = 80;
const RIGHT = 30;
const TOP = 84;
const BOTTOM = 60;
const MB = 1_000_000;
const TICKS = 4;

/** The memory of n8n over time; a gap is a restart. */
export function memoryChart(samples: MemorySample[]): string {
	const end = Math.max(...samples.map(({ at }) => at), 60);
	const most = Math.ceil(Math.max(...samples.map(({ bytes }) => bytes)) / MB / 100) * 100;
	const x = (at: number) => LEFT + (at / end) * (WIDTH - LEFT - RIGHT);
	const y = (megabytes: number) => HEIGHT - BOTTOM - (megabytes / most) * (HEIGHT - BOTTOM - TOP);
	const lives = Object.values(Object.groupBy(samples, ({ life }) => String(life)));
	const quiet = { fill: COLORS.quiet };
	const ticks = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS);
	return drawing(WIDTH, HEIGHT, 'Memory of n8n while everything goes on at once', [
		text(24, 56, 'Resident memory of the main process. A gap is a restart.', quiet),
		...ticks.flatMap((tick) => [
			line(LEFT, y(most * tick), WIDTH - RIGHT, y(most * tick), { stroke: COLORS.grid }),
			text(LEFT - 10, y(most * tick) + 4, `${most * tick} MB`, { 'text-anchor': 'end', ...quiet }),
			text(x(end * tick), HEIGHT - BOTTOM + 20, `${Math.round((end * tick) / 60)} min`, {
				'text-anchor': 'middle',
				...quiet,
			}),
		]),
		...lives.map((life = []) =>
			element('polyline', {
				points: life
					.map(({ at, bytes }) => `${x(at).toFixed(1)},${y(bytes / MB).toFixed(1)}`)
					.join(' '),
				fill: 'none',
				stroke: COLORS.thisNode,
				'stroke-width': 2,
			}),
		),
	]);
}
