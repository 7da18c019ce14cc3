import type { IDataObject } from 'n8n-workflow';
import type { Account } from './account';
import type { CallQueue } from './callQueue';
import { isObject, parseJson } from './json';
import type { Pace, Pacers } from './pacer';
import {
	type Answer,
	type ApiRequest,
	type ApiResponse,
	type CallResult,
	type FailedOutcome,
	type Http,
	noResponse,
	RequestFailure,
} from './request';
import { isRateLimited, mayRepeat, outcomeOfAnswer, retryDelay } from './retry';
import type { Redactor } from './secrets';
import { wellFormed } from './text';
import { type Clock, MINUTE_MS } from './time';
import { buildUrl, isSameOrigin } from './url';

/** How requests are sent. */
export interface TransportOptions {
	/** Milliseconds that the service has to answer a request in full. */
	timeout: number;
	/** How often to retry after a temporary failure. Waiting out a 429 does not count, and has its own bound. */
	maxRetries: number;
	/** The most paced requests in any window of 60 seconds. */
	requestsPerMinute: number;
	/** The clock time by which all requests have to be over; no deadline when left out. */
	deadline?: number;
}

export const DEFAULT_TRANSPORT: TransportOptions = {
	timeout: MINUTE_MS,
	maxRetries: 5,
	// Interface, Limits.
	requestsPerMinute: 1_000,
};

/** The most characters of an answer that are kept with a failure, since thousands of items may fail in one run. */
const MAX_KEPT_LENGTH = 10_000;

/** Reads the content of a successful response; undefined when it is not what the interface promises. */
export type Reader<Content> = (response: ApiResponse) => Content | undefined;

/** What a client is made of: the same for all requests of a run. */
export interface ClientParts {
	account: Account;
	http: Http;
	clock: Clock;
	/** Lets calls begin, and holds them back while none gets through. */
	queue: CallQueue;
	/** The pace of webhook calls, which all executions of this process share. */
	pacers: Pacers;
	/** The execution that the requests are made for. */
	execution: string;
	/** When it aborts, reads under way are given up, but writes are waited for. */
	signal?: AbortSignal;
}

/** Sends requests on behalf of one account: paced, repeated where that is safe, to the account's origin only. */
export class Client {
	readonly account: Account;
	private readonly parts: ClientParts;
	private readonly transport: TransportOptions;

	constructor(parts: ClientParts, transport = DEFAULT_TRANSPORT) {
		this.account = parts.account;
		this.parts = parts;
		this.transport = transport;
	}

	/** Aborts when no more requests begin, because the run has ended or the service is out of reach. */
	get endSignal(): AbortSignal {
		return this.parts.queue.signal;
	}

	/** The same client with other options. */
	with(transport: TransportOptions): Client {
		return new Client(this.parts, transport);
	}

	/**
	 * The same client with a deadline: all of its requests are over within the given milliseconds from now, including
	 * retries and the pauses that the service asks for. A request whose next pause would be longer fails at once: with its
	 * latest answer, or with a time-out if it was not sent yet.
	 */
	within(total: number): Client {
		const deadline = this.parts.clock.now() + total;
		const timeout = Math.min(this.transport.timeout, total);
		return this.with({ ...this.transport, timeout, deadline });
	}

	/**
	 * Sends a request until it succeeds, or may not be sent again, and returns what the response says.
	 *
	 * @param link an address that the service gave, such as that of a next page, in place of the request's own
	 * @throws {RequestFailure} when no call succeeds, `read` does not understand the response, or the address is not the
	 *   service's own: the key must not go there.
	 */
	async send<Content>(request: ApiRequest, read: Reader<Content>, link?: URL): Promise<Content> {
		const { baseUrl } = this.account;
		const url = link?.href ?? buildUrl(baseUrl, request.path, request.query);
		if (!isSameOrigin(baseUrl, url)) {
			throw this.failed(request, noResponse('foreignLink', link?.origin), 'refused');
		}
		const { clock, queue } = this.parts;
		const { maxRetries, deadline = Infinity } = this.transport;
		const { repeat } = request;
		const pace = this.paceOf(request);
		const send = async () => await this.call(url, request, read);
		// It becomes `unknown` as soon as the outcome of one call is.
		let outcome: FailedOutcome = 'refused';
		for (let retries = 0; ; ) {
			const result = await queue.call({ pace, repeat, deadline, send });
			if (!result) throw this.failed(request, noResponse('timeout'), outcome);
			if (result.kind === 'success') return result.content;
			if (outcomeOfAnswer(repeat, result) === 'unknown') outcome = 'unknown';
			// The queue waits out a 429 before the next call, which does not count as a retry.
			const isLimited = isRateLimited(result);
			const delay = isLimited ? pace.delay : retryDelay(result, retries);
			const isSpent = !isLimited && retries++ >= maxRetries;
			const isLate = clock.now() + delay >= deadline;
			if (isSpent || isLate || !mayRepeat(repeat, result)) {
				throw this.failed(request, result, outcome);
			}
			if (!isLimited) await clock.wait(delay, queue.signal);
		}
	}

	private paceOf({ paced }: ApiRequest): Pace {
		const { execution, pacers, queue } = this.parts;
		if (!paced) return queue.backoff;
		return pacers.of(this.account.team, { limit: this.transport.requestsPerMinute, execution });
	}

	private async call<Content>(
		url: string,
		request: ApiRequest,
		read: Reader<Content>,
	): Promise<CallResult<Content>> {
		const { method, repeat, body, authenticate = true, bodilessStatus } = request;
		const { clock, http, signal } = this.parts;
		const { timeout, deadline = Infinity } = this.transport;
		const answer = await http({
			method,
			url,
			timeout: Math.max(Math.min(timeout, deadline - clock.now()), 1),
			headers: {
				accept: 'application/json',
				...(body && { 'content-type': 'application/json' }),
			},
			body: body && toJson(body),
			authenticate,
			bodilessStatus,
			// What a write did matters even after the run has ended.
			signal: repeat === 'idempotent' ? signal : undefined,
		});
		if (!isSuccess(answer, request)) return answer;
		const content = read(answer);
		// The queue has to know of it, since a login page may answer in place of the service for hours.
		return content === undefined ? { ...answer, kind: 'unexpected' } : { kind: 'success', content };
	}

	private failed(request: ApiRequest, answer: Answer, outcome: FailedOutcome): RequestFailure {
		const { baseUrl, redactor } = this.account;
		const { timeout } = this.transport;
		const failed = { ...request, origin: baseUrl.origin, timeout };
		return new RequestFailure(failed, withoutSecrets(answer, redactor), outcome);
	}
}

/** An answer as it is kept with a failure: without secrets, and only the beginning of a long one. */
function withoutSecrets(answer: Answer, redactor: Redactor): Answer {
	if (answer.kind === 'noResponse') return { ...answer, detail: redactor.hide(answer.detail) };
	// Only two headers are of use: where a redirect leads, and how long to wait.
	const { location = '', 'retry-after': wait = '' } = answer.headers;
	const headers = { location: redactor.hide(location), 'retry-after': redactor.hide(wait) };
	// Secrets are hidden before the text is shortened, since the cut could leave a part of one.
	const beginning = redactor.hide(answer.text.slice(0, 2 * MAX_KEPT_LENGTH));
	// The text is copied, since a slice would keep the whole of it in memory.
	const text = Buffer.from(beginning.slice(0, MAX_KEPT_LENGTH)).toString();
	return { ...answer, headers, text };
}

function toJson(body: object): string {
	return JSON.stringify(body, (_, value: unknown) =>
		typeof value === 'string' ? wellFormed(value) : value,
	);
}

function isSuccess(answer: Answer, { accepts = [] }: ApiRequest): answer is ApiResponse {
	if (answer.kind !== 'response') return false;
	const { status } = answer;
	return (status >= 200 && status < 300) || accepts.includes(status);
}

/** Reads the object with an ID that the service answers with, which may be wrapped in `data`; undefined without one. */
export function readObject({ text }: ApiResponse): IDataObject | undefined {
	const content = parseJson(text);
	const candidates = isObject(content) ? [content.data, content] : [];
	return candidates.filter(isObject).find(({ id }) => id !== undefined && id !== null);
}
