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

describe('the log', () => {
	test('tells every ten seconds how far a run is, and when it may be over', async () => {
		const run = new Run(12);
		await run.send(12, 3_000);
		run.finish();
		expect(run.log).toEqual([
			'3 of 12 items done in 10 s, 4 requests sent, 3 accepted, about 30 s left',
			'6 of 12 items done in 20 s, 7 requests sent, 6 accepted, about 20 s left',
			// The tenth item ends at the same moment, but later.
			'9 of 12 items done in 30 s, 10 requests sent, 9 accepted, about 10 s left',
		]);
	});

	test('names the node and the workflow', async () => {
		const run = new Run(1);
		await run.pass(11_000);
		run.finish();
		expect(run.about).toEqual([{ node: 'Messaging Service', workflowId: 'workflow-1' }]);
	});

	test('says while requests wait for the rate limit, and not afterwards', async () => {
		const run = new Run(10);
		await run.send(5, 1_000);
		await run.holdBack(12_000);
		await run.pass(5_000);
		run.finish();
		expect(run.log).toEqual([
			'5 of 10 items done in 10 s, 5 requests sent, 5 accepted, waiting for the rate limit, about 10 s left',
			'5 of 10 items done in 20 s, 5 requests sent, 5 accepted, about 20 s left',
		]);
	});

	test('says nothing of the end before the first item is through', async () => {
		const run = new Run(1);
		run.traffic.sent = 40;
		run.traffic.accepted = 38;
		await run.pass(10_500);
		run.finish();
		expect(run.log).toEqual(['0 of 1 items done in 10 s, 40 requests sent, 38 accepted']);
	});

	test('is left alone by a run that is over soon', async () => {
		const run = new Run(3);
		await run.send(3, 3_000);
		run.finish();
		expect(run.log).toEqual([]);
	});

	test('is left alone once a run has finished', async () => {
		const run = new Run(3);
		await run.pass(25_000);
		run.finish();
		await run.pass(5 * MINUTE);
		expect(run.log).toHaveLength(2);
	});
});

describe('the note on the finished node', () => {
	test('tells the totals, and how long requests waited', async () => {
		const run = new Run(4);
		await run.send(2, 1_000);
		await run.holdBack(MINUTE);
		await run.send(2, 1_000);
		run.finish();
		expect(run.hints).toEqual([
			{
				message:
					'4 of 4 requests succeeded in 64 s; for 60 s of it, requests waited for the rate limit.',
				type: 'info',
				location: 'outputPane',
			},
		]);
	});

	test('tells how often the service refused', async () => {
		const run = new Run(2);
		await run.send(1, 1_000);
		run.traffic.sent += 3;
		run.traffic.rateLimited = 3;
		await run.holdBack(9_000);
		await run.send(1, 1_000);
		run.finish();
		expect(run.hints).toMatchObject([
			{
				message: expect.stringMatching(/^2 of 5 requests succeeded in 11 s;.* said 3 times to/),
			},
		]);
	});

	test.each([0, 999])('is not there when nothing waited for long: %i ms', async (waited) => {
		const run = new Run(30);
		await run.send(30, 1_000);
		await run.holdBack(waited);
		run.finish();
		expect(run.hints).toEqual([]);
	});

	test('is there from a second on', async () => {
		const run = new Run(1);
		await run.holdBack(1_000);
		run.finish();
		expect(run.hints).toHaveLength(1);
	});

	test('comes at the end, not before', async () => {
		const run = new Run(1);
		await run.holdBack(2 * MINUTE);
		expect(run.hints).toEqual([]);
		run.finish();
		expect(run.hints).toHaveLength(1);
	});
});
