import type { IDataObject } from 'n8n-workflow';
import { type Account, teamOf } from './account';
import type { Clock } from './clock';
import { CongestionWindow } from './congestion';
import { isObject, parseJson } from './json';
import { type FailureReason, isRateLimited, type Outcome, type Response } from './outcome';
import { type Pacer, pacerOf, reserveOf } from './pacer';
import type { ApiRequest, Http, HttpRequest } from './request';
import { RequestFailure } from './requestFailure';
import {
	isIdempotent,
	mayHaveAccepted,
	readRetryAfter,
	retryDelay,
	type RetryPolicy,
} from './retry';
import { Redactor } from './secrets';
import { TimeSlices } from './timeSlices';
import { Traffic } from './traffic';
import { buildUrl, isSameOrigin } from './url';

export interface TransportOptions extends Pick<HttpRequest, 'timeout' | 'maxResponseSize'> {
	/** Repeats after a temporary failure; undefined leaves it to the defaults. */
	maxRetries?: number;
	requestsPerMinute: number;
	/** Whether webhook calls are repeated although the service may have acted on them. */
	retryOnServerError: boolean;
}

export const DEFAULT_TRANSPORT: TransportOptions = {
	timeout: 60_000,
	// A page has 50 entries, so there is room for 200 kB in each. Parsed, it may take thirty times as much memory.
	maxResponseSize: 10_000_000,
	// Interface, Limits.
	requestsPerMinute: 1_000,
	retryOnServerError: false,
};

/** Repeats unless the options say otherwise. */
export const DEFAULT_RETRIES = 5;
export const DEFAULT_RATE_LIMIT_RETRIES = 10;

export interface ClientParts {
	account: Account;
	http: Http;
	clock: Clock;
	/** Ends waiting and requests under way. */
	signal?: AbortSignal;
	/** Ends requests under way that send or change something, where that is not to be at the same moment. */
	endOfWrites?: AbortSignal;
	/** When all requests have to be over; never when left out. */
	deadline?: TimeLimit;
}

interface TimeLimit {
	/** By the clock. */
	at: number;
	/** Milliseconds that there were until then. */
	total: number;
}

/** Sends requests on behalf of one account: paced, repeated where that is safe, to the account's origin only. */
export class Client {
	readonly account: Account;
	/** What was sent so far, by this client and those made from it. */
	readonly traffic: Traffic;
	/** How many of their requests may be under way at once. */
	readonly congestion: CongestionWindow;
	private readonly parts: ClientParts;
	readonly redactor: Redactor;
	/** The team that requests count for; hashed once, not for each item. */
	readonly team: string;
	private readonly transport: TransportOptions;

	/** @param origin the client that this one is made from */
	constructor(parts: ClientParts, transport = DEFAULT_TRANSPORT, origin?: Client) {
		const { account, clock } = parts;
		this.account = account;
		this.parts = parts;
		this.transport = transport;
		this.team = origin?.team ?? teamOf(account);
		this.redactor = origin?.redactor ?? new Redactor(account.secrets);
		this.traffic = origin?.traffic ?? new Traffic(clock);
		this.congestion = origin?.congestion ?? new CongestionWindow(() => clock.now());
	}

	with(transport: TransportOptions): Client {
		return new Client(this.parts, transport, this);
	}

	/**
	 * The same client for somebody who waits: all of its requests are over within so many milliseconds from now, their
	 * repeats and the pauses that the service asks for included. One that would have to wait longer fails at once,
	 * with what was learned so far.
	 */
	within(total: number): Client {
		const deadline = { at: this.parts.clock.now() + total, total };
		return new Client({ ...this.parts, deadline }, this.transport, this);
	}

	/** Divides what is done with the answers, by the same clock. */
	slices(): TimeSlices {
		return new TimeSlices(this.parts.clock);
	}

	/**
	 * Sends a request and returns the successful response.
	 *
	 * @throws {RequestFailure} when there is none, after all tries.
	 */
	async send(request: ApiRequest): Promise<Response> {
		const url = buildUrl(this.account.baseUrl, request.path, request.query);
		return await this.sendTo(url, request);
	}

	/**
	 * Sends a request to an address that the service gave, such as the link to a next page.
	 *
	 * @throws {RequestFailure} also when the address is not the service's own: the key must not go there.
	 */
	async follow(url: URL, request: ApiRequest): Promise<Response> {
		if (this.isOwn(url)) return await this.sendTo(url.href, request);
		const { origin, username, password } = url;
		const detail = username || password ? `${origin} with a user name` : origin;
		throw this.failed(request, { kind: 'failure', reason: 'foreignLink', detail });
	}

	/**
	 * Sends a request that is answered with one object of the service, and returns that object. It may
	 * be wrapped in `data`, as the interface shows it for some endpoints.
	 *
	 * @throws {RequestFailure} also when the response is no such object.
	 */
	async sendForObject(request: ApiRequest): Promise<IDataObject> {
		const response = await this.send(request);
		const answer = parseJson(response.text);
		const candidates = isObject(answer) ? [answer.data, answer] : [];
		const object = candidates.filter(isObject).find(({ id }) => id !== undefined && id !== null);
		if (!object) throw this.unexpected(request, response);
		return object;
	}

	/** Whether an address is the service's own, so that the key may go there. */
	isOwn(url: URL): boolean {
		return isSameOrigin(this.account.baseUrl, url.href);
	}

	/** The failure of a request whose response is not what the interface promises. */
	unexpected(request: ApiRequest, response: Response): RequestFailure {
		return this.failed(request, { ...response, kind: 'unexpected' });
	}

	private failed(request: ApiRequest, outcome: Outcome, isInDoubt = false): RequestFailure {
		const { timeout } = this.transport;
		const { origin } = this.account.baseUrl;
		return new RequestFailure(
			{ ...request, origin, timeout: Math.min(timeout, this.parts.deadline?.total ?? Infinity) },
			outcome,
			this.redactor,
			isInDoubt,
		);
	}

	private async sendTo(url: string, request: ApiRequest): Promise<Response> {
		const { clock, signal, endOfWrites = signal } = this.parts;
		const { timeout, maxResponseSize } = this.transport;
		const { method, body, authenticate = true } = request;
		const http: HttpRequest = {
			method,
			url,
			timeout,
			maxResponseSize,
			headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
			body: body && JSON.stringify(body),
			authenticate,
			signal: isIdempotent(method) ? signal : endOfWrites,
		};
		const policy = this.retryPolicy(request);
		let isInDoubt = false;
		for (let retries = 0; ; retries++) {
			const { outcome, delay } = await this.attempt(http, request, policy, retries);
			if (isSuccess(outcome, request)) return outcome;
			const isOver = delay === undefined || delay >= this.timeLeft;
			if (isOver) throw this.failed(request, outcome, isInDoubt);
			isInDoubt ||= mayHaveAccepted(method, outcome);
			// After a 429 the pacer holds back all that have the same limit, this request included.
			if (!isRateLimited(outcome)) await clock.wait(delay, signal);
		}
	}

	private async attempt(
		http: HttpRequest,
		request: ApiRequest,
		policy: RetryPolicy,
		retries: number,
	): Promise<{ outcome: Outcome; delay?: number }> {
		const { clock, signal, deadline } = this.parts;
		const { traffic } = this;
		const limit = request.paced ? this.transport.requestsPerMinute : undefined;
		const isBulk = limit !== undefined && traffic.unsent > reserveOf(limit);
		const pacer = pacerOf(this.limitOf(request), clock);
		// Where many begin at once, the turn of the processor takes its time too, which is no wait for the limit.
		const counted = async (wait: Promise<void>) => await traffic.while(wait);
		const slot = await pacer.acquire({ limit, isBulk, deadline: deadline?.at, signal, counted });
		if (!slot.isGranted || signal?.aborted) {
			slot.done({ isCancelled: true });
			return { outcome: this.notSent(pacer) };
		}
		traffic.sent++;
		const end = this.congestion.begin();
		const timeout = Math.max(Math.min(http.timeout, this.timeLeft), 1);
		const outcome = await this.parts.http({ ...http, timeout });
		end(outcome);
		if (isSuccess(outcome, request)) traffic.accepted++;
		if (isRateLimited(outcome)) traffic.rateLimited++;
		const delay = retryDelay(request.method, policy, outcome, retries);
		slot.done({
			rateLimitedFor: isRateLimited(outcome) ? (delay ?? readRetryAfter(outcome) ?? 0) : undefined,
			isCancelled: signal?.aborted,
		});
		return { outcome, delay };
	}

	/** Names the limit that a request counts for: a pause after a 429 holds back the requests that share it. */
	private limitOf({ method, path, paced }: ApiRequest): string {
		// The webhooks of a team have one limit. Those of other endpoints are not shown, so each has its own.
		return paced ? this.team : `${this.team} ${method} ${path}`;
	}

	private get timeLeft(): number {
		const { clock, deadline } = this.parts;
		return deadline ? deadline.at - clock.now() : Infinity;
	}

	/** What came of a request whose turn did not come. */
	private notSent({ pause }: Pacer): Outcome {
		const failure = (reason: FailureReason, detail = ''): Outcome => ({
			kind: 'failure',
			reason,
			detail,
		});
		if (this.parts.signal?.aborted) return failure('notStarted');
		if (pause === 0) return failure('timeout');
		return failure('heldBack', `${Math.ceil(pause / 1_000)} seconds`);
	}

	private retryPolicy({ paced }: ApiRequest): RetryPolicy {
		const { maxRetries, retryOnServerError } = this.transport;
		return {
			maxRetries: maxRetries ?? DEFAULT_RETRIES,
			maxRateLimitRetries: paced ? Infinity : (maxRetries ?? DEFAULT_RATE_LIMIT_RETRIES),
			retryOnServerError,
		};
	}
}

function isSuccess(outcome: Outcome, { accepts = [] }: ApiRequest): outcome is Response {
	if (outcome.kind !== 'response') return false;
	const { status } = outcome;
	return (status >= 200 && status < 300) || accepts.includes(status);
}
