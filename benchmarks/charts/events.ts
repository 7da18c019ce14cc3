import type { Reception } from '../results.ts';
import { ratioChart } from './ratios.ts';

/** Time and processor time per event, beside those of the Webhook node. */
export function eventChart(receptions: Reception[]): string {
	const bars = receptions
		// The Webhook node itself has no target.
		.filter(({ target }) => target)
		.flatMap(({ contender, engine, rateRatio, cpuRatio }) => {
			return [
				{ what: `${contender}: time`, setting: engine, ratio: 1 / rateRatio },
				{ what: `${contender}: CPU`, setting: engine, ratio: cpuRatio },
			];
		});
	return ratioChart(bars, {
		title: 'The trigger beside the Webhook node',
		subtitle:
			'Per event; divided by that of the Webhook node with header authentication (1). Shorter is better.',
	});
}
