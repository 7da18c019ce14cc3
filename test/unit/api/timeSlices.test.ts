import { forEachConcurrently } from '../../../nodes/MessagingService/api/concurrency';
import { TimeSlices } from '../../../nodes/MessagingService/api/timeSlices';

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
