import { TimeSlices } from '../../api/timeSlices';
import { systemClock } from '../../systemClock';

/** Milliseconds of preparing at a stretch: a call of the store takes several turns of the event loop. */
const PREPARING_SLICE = 5;

/** Reads items ahead of their turn, and keeps what was read until then. */
export class ReadAhead<Read> {
	private readonly count: number;
	private readonly read: (index: number) => Read;
	private readonly kept = new Map<number, Read>();
	/** The first item whose turn has not come and that `next` has not given. */
	private first = 0;
	/** The first item that `prepare` has not come to. */
	private prepared = 0;
	private isPreparing = false;

	/**
	 * @param count how many items there are
	 * @param read reads an item, and never throws
	 */
	constructor(count: number, read: (index: number) => Read) {
		this.count = count;
		this.read = read;
	}

	/** What was read of an item whose turn has come; undefined when it was not read ahead. */
	take(index: number): Read | undefined {
		const read = this.kept.get(index);
		this.kept.delete(index);
		this.first = Math.max(this.first, index + 1);
		return read;
	}

	/** So many items that come next. */
	async next(count: number): Promise<Read[]> {
		const slices = new TimeSlices(systemClock);
		const next: Read[] = [];
		for (const end = Math.min(this.first + count, this.count); this.first < end; ) {
			next.push(this.keep(this.first++));
			await slices.next();
		}
		return next;
	}

	/** Reads the items that come next while something else is waited for, as many as may ever be under way. */
	async prepare(count: number): Promise<void> {
		if (this.isPreparing) return;
		this.isPreparing = true;
		const slices = new TimeSlices(systemClock, PREPARING_SLICE);
		const end = Math.min(this.first + count, this.count);
		while (this.prepared < end) {
			const index = this.prepared++;
			if (index >= this.first) this.keep(index);
			await slices.next();
		}
		this.isPreparing = false;
	}

	/** To be called when no further item begins. */
	end(): void {
		this.prepared = this.count;
	}

	private keep(index: number): Read {
		const read = this.kept.get(index) ?? this.read(index);
		this.kept.set(index, read);
		return read;
	}
}
