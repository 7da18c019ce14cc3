import type { IDataObject } from 'n8n-workflow';
import { type Account, teamOf } from './account';
import type { Clock } from './clock';
import { CongestionWindow } from './congestion';
import { isObject, parseJson } from './json';
import { type Pacer, pacerOf } from './pacer';
import {
	type Answer,
	type ApiRequest,
	failure,
	type Http,
	RequestFailure,
	type Response,
} from './request';
import { isRateLimited, type MostRetries, outcomeOf, Tries } from './retry';
import { Redactor } from './secrets';
import { buildUrl, isSameOrigin } from './url';

export interface TransportOptions {
	/** Milliseconds that the service has for the whole answer to a request. */
	timeout: number;
	/** Repeats after a temporary failure; undefined leaves it to the defaults. */
	maxRetries?: number;
	requestsPerMinute: number;
}

export const DEFAULT_TRANSPORT: TransportOptions = {
	timeout: 60_000,
	// Interface, Limits.
	requestsPerMinute: 1_000,
};

/** Repeats unless the options say otherwise. */
export const DEFAULT_RETRIES = 5;
export const DEFAULT_RATE_LIMIT_RETRIES = 10;

/** Milliseconds from which on a pause after a 429 is worth a line in the log. */
const LONG_PAUSE = 30_000;

export interface ClientParts {
	account: Account;
	http: Http;
	clock: Clock;
	/** Ends waiting and requests under way. */
	signal?: AbortSignal;
	/** The moment by the clock when all requests have to be over; never when left out. */
	deadline?: number;
	/** How many items it sends for. A run of many leaves a part of the rate limit to others. */
	items?: number;
	/** Writes to the log why a request waits, without secrets. */
	log?(words: string): void;
}

/** Sends requests on behalf of one account: paced, repeated where that is safe, to the account's origin only. */
export class Client {
	readonly account: Account;
	/** How many requests of this client, and of those made from it, may be under way at once. */
	readonly congestion: CongestionWindow;
	/** Knows what no text may show. */
	readonly redactor: Redactor;
	/** The team that requests count for; hashed once, not for each item. */
	readonly team: string;
	private readonly parts: ClientParts;
	private readonly transport: TransportOptions;

	/** @param parent the client that this one is made from */
	constructor(parts: ClientParts, transport = DEFAULT_TRANSPORT, parent?: Client) {
		const { account, clock } = parts;
		this.account = account;
		this.parts = parts;
		this.transport = transport;
		this.team = parent?.team ?? teamOf(account);
		this.redactor = parent?.redactor ?? new Redactor(account.secrets);
		this.congestion = parent?.congestion ?? new CongestionWindow(() => clock.now());
	}

	/** The same client with other options. */
	with(transport: TransportOptions): Client {
		return new Client(this.parts, transport, this);
	}

	/**
	 * The same client for somebody who waits: all of its requests are over within the given milliseconds from now, their
	 * repeats and the pauses that the service asks for included. One that would have to wait longer fails at once,
	 * with what was learned so far.
	 */
	within(total: number): Client {
		const deadline = this.parts.clock.now() + total;
		const timeout = Math.min(this.transport.timeout, total);
		return new Client({ ...this.parts, deadline }, { ...this.transport, timeout }, this);
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
		throw this.failed(request, failure('foreignLink', detail));
	}

	/**
	 * Sends a request that is answered with one object of the service, and returns that object. It may
	 * be wrapped in `data`, as the interface shows it for some endpoints.
	 *
	 * @throws {RequestFailure} also when the response is no such object.
	 */
	async sendForObject(request: ApiRequest): Promise<IDataObject> {
		const response = await this.send(request);
		const content = parseJson(response.text);
		const candidates = isObject(content) ? [content.data, content] : [];
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

	private failed(
		request: ApiRequest,
		answer: Answer,
		outcome = outcomeOf(request.repeat, answer),
	): RequestFailure {
		const { origin } = this.account.baseUrl;
		const { timeout } = this.transport;
		// Here, since a part of a secret may be left when a text is shortened later.
		const shown = this.withoutSecrets(answer);
		return new RequestFailure({ ...request, origin, timeout }, shown, outcome);
	}

	private withoutSecrets(answer: Answer): Answer {
		const { redactor } = this;
		if (answer.kind === 'failure') return { ...answer, detail: redactor.hide(answer.detail) };
		// Of the headers, nobody is told more than where a redirect leads.
		const { location = '' } = answer.headers;
		const headers = { location: redactor.hide(location) };
		return { ...answer, headers, text: redactor.hide(answer.text) };
	}

	/** Sends a request until it succeeds or the retry table says that it is over. */
	private async sendTo(url: string, request: ApiRequest): Promise<Response> {
		const { clock, signal, items, deadline } = this.parts;
		const limit = request.paced ? this.transport.requestsPerMinute : undefined;
		const tries = new Tries(request.repeat, this.mostRetries(request));
		for (;;) {
			const pacer = pacerOf(this.limitOf(request), clock);
			const release = await pacer.acquire({ limit, items, deadline, signal });
			if (!release) throw this.failed(request, this.notSent(pacer), tries.outcome);
			const answer = await this.attempt(url, request);
			if (isSuccess(answer, request)) {
				release(answer);
				return answer;
			}
			const { isLast, delay } = tries.note(answer);
			const wasPaused = pacer.pause > 0;
			release(answer, delay);
			if (!wasPaused) this.logPause(pacer.pause, request);
			if (isLast || delay >= this.timeLeft) throw this.failed(request, answer, tries.outcome);
			// After a 429, the pacer holds back all that share the limit, this request included.
			if (!isRateLimited(answer)) await clock.wait(delay, signal);
		}
	}

	private async attempt(url: string, request: ApiRequest): Promise<Answer> {
		const { method, body, authenticate = true } = request;
		const end = this.congestion.begin();
		const answer = await this.parts.http({
			method,
			url,
			timeout: Math.max(Math.min(this.transport.timeout, this.timeLeft), 1),
			headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
			body: body && JSON.stringify(body),
			authenticate,
			signal: this.parts.signal,
		});
		end(answer);
		return answer;
	}

	/** The answer to a request whose turn did not come. */
	private notSent({ pause, isStalled }: Pacer): Answer {
		if (this.parts.signal?.aborted) return failure('notStarted');
		if (isStalled) return failure('stalled');
		return failure('heldBack', inSeconds(Math.max(pause, 1)));
	}

	/** Says why nothing goes out for a while. The log is the only place that shows it while the node runs. */
	private logPause(pause: number, { method, path }: ApiRequest): void {
		if (pause < LONG_PAUSE) return;
		const words = `The messaging service answered ${method} ${path} with "too many requests" and asked for a pause. Requests of this kind wait for ${inSeconds(pause)}.`;
		this.parts.log?.(this.redactor.hide(words));
	}

	/** Names the limit that a request counts for: a pause after a 429 holds back the requests that share it. */
	private limitOf({ method, path, paced, endpoint = path }: ApiRequest): string {
		// The webhooks of a team have one limit. Those of other endpoints are not shown, so each has its own.
		return paced ? this.team : `${this.team} ${method} ${endpoint}`;
	}

	/** How often a request may be repeated. The rate limit that is documented is waited out. */
	private mostRetries({ paced }: ApiRequest): MostRetries {
		const { maxRetries } = this.transport;
		const rateLimited = paced ? Infinity : (maxRetries ?? DEFAULT_RATE_LIMIT_RETRIES);
		return { rateLimited, failed: maxRetries ?? DEFAULT_RETRIES };
	}

	private get timeLeft(): number {
		const { clock, deadline = Infinity } = this.parts;
		return deadline - clock.now();
	}
}

function inSeconds(milliseconds: number): string {
	return `${Math.ceil(milliseconds / 1_000)} seconds`;
}

function isSuccess(answer: Answer, { accepts = [] }: ApiRequest): answer is Response {
	if (answer.kind !== 'response') return false;
	const { status } = answer;
	return (status >= 200 && status < 300) || accepts.includes(status);
}
