const TIMEOUT_MS = 60_000;

/** A call that is ready to be sent. */
export interface Call {
	headers: Record<string, string>;
	body: string;
}

/**
 * Sends calls over so many connections, each as soon as one is free.
 *
 * @returns The time from the first call to the last answer, and the status of each answer.
 */
export async function sendAll(
	url: string,
	calls: readonly Call[],
	connections: number,
): Promise<{ seconds: number; statuses: number[] }> {
	const waiting = calls.values();
	const statuses: number[] = [];
	const sendOneByOne = async () => {
		for (const { headers, body } of waiting) {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...headers },
				body,
				signal: AbortSignal.timeout(TIMEOUT_MS),
			});
			await response.arrayBuffer();
			statuses.push(response.status);
		}
	};
	const start = performance.now();
	await Promise.all(Array.from({ length: connections }, sendOneByOne));
	return { seconds: (performance.now() - start) / 1_000, statuses };
}
