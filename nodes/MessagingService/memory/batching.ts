/** Collects jobs while others are being handled, and then handles them together. */
export class Batching<Job> {
	private readonly handle: (jobs: Job[]) => Promise<void>;
	private readonly gather: (count: number) => Promise<void>;
	private jobs: Job[] = [];
	private isBusy = false;

	/**
	 * @param handle must not reject
	 * @param gather waits for more jobs before so many are handled
	 */
	constructor(
		handle: (jobs: Job[]) => Promise<void>,
		// Jobs that are added at the same moment belong together.
		gather: (count: number) => Promise<void> = async () => {},
	) {
		this.handle = handle;
		this.gather = gather;
	}

	/** Adds a job for the next batch. */
	add(job: Job): void {
		this.jobs.push(job);
	}

	/** Handles batches until there are no more jobs, unless that is going on already. */
	async work(): Promise<void> {
		if (this.isBusy) return;
		this.isBusy = true;
		while (this.jobs.length > 0) {
			await this.gather(this.jobs.length);
			await this.handle(this.jobs.splice(0));
		}
		this.isBusy = false;
	}
}
