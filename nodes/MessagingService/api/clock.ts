/** Time as this layer sees it. It is handed in, so that tests can run it faster than the wall clock. */
export interface Clock {
	/** Milliseconds on a monotonic scale. */
	now(): number;
	/** Resolves after the given milliseconds, or as soon as the signal aborts. Never rejects. */
	wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
