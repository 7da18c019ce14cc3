import type { IExecuteFunctions } from 'n8n-workflow';
import { Progress } from '../../../nodes/MessagingService/run/progress';
import { Traffic } from '../../../nodes/MessagingService/api/traffic';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';
import { VirtualClock } from '../helpers/virtualClock';

const MINUTE = 60_000;

/** The progress of a run with so many items, and what it tells. */
class Run {
	readonly clock = new VirtualClock();
	readonly traffic = new Traffic(this.clock);
	readonly log: string[] = [];
	readonly about: unknown[] = [];
	readonly hints: unknown[] = [];
	private readonly progress: Progress;

	constructor(total: number) {
		const logger = {
			info: (line: string, about: unknown) => {
				this.log.push(line);
				this.about.push(about);
			},
		};
		const context = fake<IExecuteFunctions>({
			logger,
			getNode: () => nodeWith(),
			getWorkflow: () => ({ id: 'workflow-1' }),
			addExecutionHints: (hint: unknown) => this.hints.push(hint),
		});
		this.progress = new Progress(context, this.traffic, total, this.clock);
	}

	/** Lets time pass. */
	async pass(milliseconds: number): Promise<void> {
		await this.clock.run(this.clock.wait(milliseconds));
	}

	/** Sends items one after the other, each in so many milliseconds. */
	async send(items: number, each: number): Promise<void> {
		for (let item = 0; item < items; item++) {
			this.traffic.sent++;
			await this.pass(each);
			this.traffic.accepted++;
			this.progress.itemDone();
		}
	}

	/** Waits for the rate limit. */
	async holdBack(milliseconds: number): Promise<void> {
		await this.clock.run(this.traffic.while(this.clock.wait(milliseconds)));
	}

	finish(): void {
		this.progress.finish();
	}
}

test.each<[string, (run: Run) => Promise<void>, string[]]>([
	[
		'how far a run is, and when it may be over',
		async (run) => await run.send(12, 3_000),
		[
			'3 of 12 items done in 10 s, 4 requests sent, 3 accepted, about 30 s left',
			'6 of 12 items done in 20 s, 7 requests sent, 6 accepted, about 20 s left',
			// The tenth item ends at the same moment, but later.
			'9 of 12 items done in 30 s, 10 requests sent, 9 accepted, about 10 s left',
		],
	],
	[
		'that requests wait for the rate limit, as long as they do',
		async (run) => {
			await run.send(6, 1_000);
			await run.holdBack(12_000);
			await run.pass(5_000);
		},
		[
			'6 of 12 items done in 10 s, 6 requests sent, 6 accepted, waiting for the rate limit, about 10 s left',
			'6 of 12 items done in 20 s, 6 requests sent, 6 accepted, about 20 s left',
		],
	],
	[
		'nothing of the end before an item is through',
		async (run) => await run.pass(10_500),
		['0 of 12 items done in 10 s, 0 requests sent, 0 accepted'],
	],
	['nothing of a run that is over soon', async (run) => await run.send(3, 3_000), []],
])('the log tells every ten seconds %s', async (_name, happen, lines) => {
	const run = new Run(12);
	await happen(run);
	run.finish();
	await run.pass(5 * MINUTE);
	expect(run.log).toEqual(lines);
	for (const about of run.about) {
		expect(about).toEqual({ node: 'Messaging Service', workflowId: 'workflow-1' });
	}
});

test.each([
	[0, 0, undefined],
	[999, 0, undefined],
	[
		1_000,
		0,
		'4 of 4 requests succeeded in 5 s; for 1 s of it, requests waited for the rate limit.',
	],
	[
		MINUTE,
		3,
		'4 of 4 requests succeeded in 64 s; for 60 s of it, requests waited for the rate limit. The service said 3 times to slow down.',
	],
])(
	'a wait of %i ms with %i refusals is told on the finished node: %s',
	async (waited, refusals, message) => {
		const run = new Run(4);
		await run.send(2, 1_000);
		await run.holdBack(waited);
		run.traffic.rateLimited = refusals;
		await run.send(2, 1_000);
		expect(run.hints).toEqual([]);
		run.finish();
		expect(run.hints).toEqual(message ? [{ message, type: 'info', location: 'outputPane' }] : []);
	},
);
