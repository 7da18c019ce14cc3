import { textOf } from './api/json';

/** How long a body is read. */
export interface BodyBounds {
	/** The most bytes, decompressed. */
	maxSize: number;
	/** Milliseconds that there were for the whole answer. */
	timeout: number;
	/** Aborts when the time is up. */
	end: AbortSignal;
	/** Aborts when the execution is cancelled. */
	signal?: AbortSignal;
}

/** A body that was not read to its end, since that would take too much memory or time. The message says how much. */
export class UnfinishedBody extends Error {
	override name = 'UnfinishedBody';
	readonly reason: 'tooLarge' | 'tooSlow';

	constructor(reason: UnfinishedBody['reason'], message = '') {
		super(message);
		this.reason = reason;
	}
}

interface Stream extends AsyncIterable<unknown> {
	destroy(): unknown;
}

/** A pause in a body that lasts for this part of the time is a connection that hangs, not a slow one. */
const PAUSE = 1 / 2;
const MEGABYTE = 1_000_000;

/**
 * Reads a body as n8n's helpers give it: as a stream that is decompressed already, or whole.
 *
 * @returns The body as text.
 * @throws {UnfinishedBody} as soon as it is larger than allowed, and at the end of the time if it was still coming.
 *   What is left of it is not read, and its connection is closed.
 */
export async function readBody(
	body: unknown,
	{ maxSize, timeout, end, signal }: BodyBounds,
): Promise<string> {
	if (!isStream(body)) return textOf(body) ?? '';
	const chunks: Buffer[] = [];
	let size = 0;
	let heardAt = -Infinity;
	const close = () => body.destroy();
	for (const each of [end, signal]) each?.addEventListener('abort', close, { once: true });
	try {
		for await (const chunk of body) {
			const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
			heardAt = performance.now();
			size += bytes.length;
			if (size > maxSize) {
				throw new UnfinishedBody('tooLarge', `${maxSize / MEGABYTE} MB`);
			}
			chunks.push(bytes);
		}
	} catch (error) {
		const wasComing = performance.now() - heardAt < timeout * PAUSE;
		throw end.aborted && wasComing ? new UnfinishedBody('tooSlow') : error;
	} finally {
		for (const each of [end, signal]) each?.removeEventListener('abort', close);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Closes the connection of a body that nobody reads. */
export function discard(body: unknown): void {
	if (isStream(body)) body.destroy();
}

function isStream(body: unknown): body is Stream {
	return (
		typeof body === 'object' &&
		body !== null &&
		Symbol.asyncIterator in body &&
		'destroy' in body &&
		typeof body.destroy === 'function'
	);
}
