import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { readList } from '../../../nodes/MessagingService/api/list';
import { TimeSlices } from '../../../nodes/MessagingService/api/timeSlices';
import { Replies } from '../../../nodes/MessagingService/resources/message/replies';
import { clientOf, response } from '../helpers/api';

/** A clock that goes on while work is done, and counts how long it was since others had their turn. */
class BusyClock {
	longestStretch = 0;
	private time = 0;
	private turnAt = 0;

	now(): number {
		return this.time;
	}

	async wait(): Promise<void> {
		this.turnAt = this.time;
	}

	work(milliseconds: number): void {
		this.time += milliseconds;
		this.longestStretch = Math.max(this.longestStretch, this.time - this.turnAt);
	}
}

test.each([1, 512])(
	'work for 20,000 items lets others have their turn, %i at once',
	async (width) => {
		const clock = new BusyClock();
		let done = 0;
		const work = async () => {
			clock.work(0.7);
			done++;
			return true;
		};
		await forEachConcurrently(20_000, () => width, work, { slices: new TimeSlices(clock) });
		expect(done).toBe(20_000);
		expect(clock.longestStretch).toBeLessThan(30);
	},
);

test('20,000 entries of pages that are there at once let others have their turn', async () => {
	const clock = new BusyClock();
	const client = clientOf(async ({ url }) => {
		const page = Number(new URL(url).searchParams.get('page') ?? 0);
		const length = page < 400 ? 50 : 0;
		const data = Array.from({ length }, (_, index) => ({ id: 50 * page + index }));
		return response(200, JSON.stringify({ data, total: 20_000, links: {} }));
	}, clock);
	const { items } = await readList(client, {
		request: { method: 'GET', path: '/public/messages' },
		limitParameter: 'limit',
		pageParameter: 'page',
		limit: Infinity,
		concurrency: 64,
		keep: () => {
			clock.work(0.05);
			return true;
		},
	});
	expect(items).toHaveLength(20_000);
	expect(clock.longestStretch).toBeLessThan(30);
});

test('20,000 items that waited for the same reply let others have their turn', async () => {
	const clock = new BusyClock();
	const reply = { id: 7, body: 'Yes', sender: '+15555550100', timestamp: '2026-01-31T08:05:00Z' };
	const client = clientOf(
		async () => response(200, JSON.stringify({ data: [reply], total: 1, links: {} })),
		clock,
	);
	const replies = new Replies({
		client,
		clock,
		since: Date.parse('2026-01-31T08:00:00Z'),
		now: () => Date.parse('2026-01-31T08:06:00Z'),
		begun: Promise.resolve(),
	});
	const waitFor = async () => {
		const found = await replies.of({ contact: { numbers: [reply.sender] }, duration: 60_000 });
		clock.work(0.05);
		return found?.id;
	};
	const ids = await Promise.all(Array.from({ length: 20_000 }, waitFor));
	expect(new Set(ids)).toEqual(new Set([reply.id]));
	expect(clock.longestStretch).toBeLessThan(30);
});

test('others have their turn after every 10 milliseconds of work, and not before', async () => {
	const clock = new BusyClock();
	const slices = new TimeSlices(clock);
	for (let times = 0; times < 2; times++) {
		clock.work(9);
		expect(slices.next()).toBeUndefined();
		clock.work(1);
		const pause = slices.next();
		expect(pause).toBeDefined();
		await pause;
	}
});
