import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	INode,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type Account, CREDENTIALS_TYPE, readAccount } from './credentials';
import {
	type Explanation,
	type FailedRequest,
	operationError,
	redact,
	toAnswerError,
	toApiError,
} from './errors';
import { exchange, type Outcome, type Response } from './exchange';
import { isObject, parseJson } from './json';
import { pacerOf, teamOf } from './pacer';
import {
	isHarmlessTwice,
	isRateLimited,
	type Method,
	readRetryAfter,
	retryDelay,
	type RetryPolicy,
} from './retry';
import { Traffic } from './traffic';
import { buildUrl, isSameOrigin, type QueryEntry } from './url';
import { type Clock, systemClock } from './wait';

/** The n8n contexts that talk to the service. */
export type ApiContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

/** How the requests of a node run are sent. */
export interface TransportOptions {
	/** Milliseconds that the service has to answer. */
	timeout: number;
	/** Repeats after a temporary failure; undefined leaves it to the defaults. */
	maxRetries?: number;
	/** Webhook calls per 60 seconds. */
	requestsPerMinute: number;
	/** Whether webhook calls are repeated although the service may have acted on them. */
	retryOnServerError: boolean;
}

/** One request, as an operation describes it. */
export interface ApiRequest {
	method: Method;
	/** Path below the base URL, its values encoded; see `path`. */
	path: string;
	query?: readonly QueryEntry[];
	body?: object;
	/** Off for the one endpoint that declares no authentication. */
	authenticate?: boolean;
	/** On for the endpoint whose rate limit is documented: it is paced, and 429 is always waited out. */
	paced?: boolean;
	/** Statuses beyond 2xx that are as good here. */
	accepts?: readonly number[];
	/** What status 404 means here. */
	notFound?: Explanation;
	itemIndex?: number;
}

export const DEFAULT_TRANSPORT: TransportOptions = {
	timeout: 60_000,
	requestsPerMinute: 1_000,
	retryOnServerError: false,
};

const DEFAULT_RETRIES = 5;
const DEFAULT_RATE_LIMIT_RETRIES = 10;

/**
 * Makes a client from the credential of the node. The credential is read once, not for each request.
 *
 * @throws {NodeOperationError} when the base URL in the credential cannot be used.
 */
export async function createClient(context: ApiContext, clock = systemClock): Promise<Client> {
	const credential = await context.getCredentials(CREDENTIALS_TYPE);
	return new Client(context, accountOf(context.getNode(), credential), credential, clock);
}

function accountOf(node: INode, credential: ICredentialDataDecryptedObject): Account {
	try {
		return readAccount(credential);
	} catch (error) {
		throw new NodeOperationError(node, error instanceof Error ? error : String(error), {
			description: 'Open the credential and enter the address of your messaging service.',
		});
	}
}

/** Talks to the service on behalf of one account, during one run of a node. */
export class Client {
	readonly account: Account;
	private readonly context: ApiContext;
	private readonly credential: ICredentialsDecrypted;
	private readonly clock: Clock;
	/** What this run has sent so far. */
	readonly traffic: Traffic;
	private readonly team: string;
	private readonly signal?: AbortSignal;

	constructor(
		context: ApiContext,
		account: Account,
		credential: ICredentialDataDecryptedObject,
		clock: Clock,
	) {
		this.context = context;
		this.account = account;
		this.credential = { id: '', name: '', type: CREDENTIALS_TYPE, data: credential };
		this.clock = clock;
		this.team = teamOf(account);
		this.traffic = new Traffic(clock);
		this.signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	}

	/** Sends a request and returns the successful response. Throws a NodeApiError otherwise. */
	async send(request: ApiRequest, transport = DEFAULT_TRANSPORT): Promise<Response> {
		return await this.sendTo(
			buildUrl(this.account.baseUrl, request.path, request.query),
			request,
			transport,
		);
	}

	/**
	 * Sends a request that is answered with one object of the service, and returns that object. It may
	 * be wrapped in `data`, as the interface shows it for some endpoints.
	 *
	 * @throws {NodeApiError} also when the answer is no such object.
	 */
	async sendForObject(request: ApiRequest, transport?: TransportOptions): Promise<IDataObject> {
		const response = await this.send(request, transport);
		const answer = parseJson(response.text);
		const candidates = isObject(answer) ? [answer.data, answer] : [];
		const object = candidates.filter(isObject).find(({ id }) => id !== undefined && id !== null);
		if (!object) throw this.unexpected(request, response);
		return object;
	}

	/** Sends a request to an address that the service gave, such as the link to a next page. */
	async follow(url: URL, request: ApiRequest, transport = DEFAULT_TRANSPORT): Promise<Response> {
		if (!this.isOwn(url)) throw this.foreignLink(request, url);
		return await this.sendTo(url.href, request, transport);
	}

	/** Whether an address is the service's own, so that the key may go there. */
	isOwn(url: URL): boolean {
		return isSameOrigin(this.account.baseUrl, url.href);
	}

	/** The error for a link that leads away from the service. */
	foreignLink(request: ApiRequest, url: URL): Error {
		return this.problem(
			'The messaging service links to another address, which is not followed',
			`The list goes on at ${url.origin}, but the API key is sent only to ${this.account.baseUrl.origin}. If the service has moved, enter its new address as the base URL in the credential.`,
			request.itemIndex,
		);
	}

	/** The error for a list of which pages could not be read. */
	missingPages(cause: unknown, pages: string, itemIndex?: number): Error {
		const missing = `Missing from the list: page ${pages}.`;
		if (!(cause instanceof NodeApiError || cause instanceof NodeOperationError)) {
			return this.problem('The list could not be read to its end', missing, itemIndex);
		}
		cause.description = `${missing} ${cause.description ?? ''}`.trim();
		return cause;
	}

	/** An error in words of the caller. */
	problem(message: string, description: string, itemIndex?: number): Error {
		return operationError(this.context.getNode(), redact(message, this.secrets), {
			description: redact(description, this.secrets),
			itemIndex,
		});
	}

	/** The error for a successful response whose content is not as promised. */
	unexpected(request: ApiRequest, response: Response): Error {
		return toAnswerError(
			this.context.getNode(),
			this.failedRequest(request, DEFAULT_TRANSPORT),
			response,
			this.secrets,
		);
	}

	private get secrets(): string[] {
		return [this.account.apiKey];
	}

	private async sendTo(
		url: string,
		request: ApiRequest,
		transport: TransportOptions,
	): Promise<Response> {
		const policy = retryPolicy(request, transport);
		const options: IHttpRequestOptions = {
			method: request.method,
			url,
			timeout: transport.timeout,
			headers: { accept: 'application/json' },
			abortSignal: this.signal,
		};
		if (request.body !== undefined) {
			// As text: n8n drops an empty object from a request.
			options.body = JSON.stringify(request.body);
			options.headers = { ...options.headers, 'content-type': 'application/json' };
		}
		for (let retries = 0; ; retries++) {
			const { outcome, delay } = await this.attempt(options, request, transport, policy, retries);
			if (isSuccess(outcome, request)) return outcome;
			if (delay === undefined) throw this.failed(request, transport, outcome);
			// After a 429 the pacer holds back everyone of the team, this request included.
			if (!isRateLimited(outcome)) await this.clock.wait(delay, this.signal);
		}
	}

	private failed(request: ApiRequest, transport: TransportOptions, outcome: Outcome): Error {
		const failed = this.failedRequest(request, transport);
		return toApiError(this.context.getNode(), failed, outcome, this.secrets);
	}

	private async attempt(
		options: IHttpRequestOptions,
		request: ApiRequest,
		transport: TransportOptions,
		policy: RetryPolicy,
		retries: number,
	): Promise<{ outcome: Outcome; delay: number | undefined }> {
		const slot = await this.traffic.while(
			pacerOf(this.team, this.clock).acquire({
				limit: request.paced ? transport.requestsPerMinute : undefined,
				signal: this.signal,
			}),
		);
		if (this.signal?.aborted) {
			slot.done();
			return { outcome: { kind: 'failure', reason: 'notStarted', detail: '' }, delay: undefined };
		}
		this.traffic.sent++;
		const outcome = await exchange(async (full) => await this.hand(full, request), options);
		if (isSuccess(outcome, request)) this.traffic.accepted++;
		if (isRateLimited(outcome)) this.traffic.rateLimited++;
		const delay = retryDelay(policy, outcome, retries);
		slot.done(isRateLimited(outcome) ? (delay ?? readRetryAfter(outcome) ?? 0) : undefined);
		return { outcome, delay };
	}

	private async hand(options: IHttpRequestOptions, request: ApiRequest): Promise<unknown> {
		return request.authenticate === false
			? await this.context.helpers.httpRequest(options)
			: await this.context.helpers.httpRequestWithAuthentication.call(
					this.context,
					CREDENTIALS_TYPE,
					options,
					{ credentialsDecrypted: this.credential },
				);
	}

	private failedRequest(request: ApiRequest, transport: TransportOptions): FailedRequest {
		return {
			method: request.method,
			timeout: transport.timeout,
			origin: this.account.baseUrl.origin,
			withoutKey: request.authenticate === false,
			notFound: request.notFound,
			itemIndex: request.itemIndex,
		};
	}
}

function retryPolicy(request: ApiRequest, transport: TransportOptions): RetryPolicy {
	return {
		method: request.method,
		maxRetries: transport.maxRetries ?? DEFAULT_RETRIES,
		maxRateLimitRetries: request.paced
			? Infinity
			: (transport.maxRetries ?? DEFAULT_RATE_LIMIT_RETRIES),
		retryOnServerError: !isHarmlessTwice(request.method) && transport.retryOnServerError,
	};
}

function isSuccess(outcome: Outcome, { accepts = [] }: ApiRequest): outcome is Response {
	if (outcome.kind !== 'response') return false;
	const { status } = outcome;
	return (status >= 200 && status < 300) || accepts.includes(status);
}
