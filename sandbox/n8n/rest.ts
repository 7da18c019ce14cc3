import { randomUUID } from 'node:crypto';

import { isRecord, parseJson } from '../json.ts';

/** Some answers take long: n8n installs packages within a call. */
const TIMEOUT_MS = 150_000;

/** n8n answered a REST call with an error. */
export class RestError extends Error {
	readonly status: number;

	constructor(status: number, call: string, message: string) {
		super(`${call} answered ${status}: ${message}`);
		this.name = 'RestError';
		this.status = status;
	}
}

/**
 * The API that n8n's editor speaks. It knows a session by a cookie that is bound to a browser, so
 * both are kept here. The type argument of each call is what n8n 2.41 answers; n8n publishes no
 * schema that could prove it.
 */
export class RestClient {
	private readonly browserId = randomUUID();
	private readonly url: string;
	private cookie = '';

	constructor(url: string) {
		this.url = url;
	}

	get<T>(path: string): Promise<T> {
		return this.request('GET', path);
	}

	post<T>(path: string, body: object = {}): Promise<T> {
		return this.request('POST', path, body);
	}

	patch<T>(path: string, body: object): Promise<T> {
		return this.request('PATCH', path, body);
	}

	delete<T>(path: string): Promise<T> {
		return this.request('DELETE', path);
	}

	private async request<T>(method: string, path: string, body?: object): Promise<T> {
		const response = await fetch(new URL(path, this.url), {
			method,
			headers: {
				'browser-id': this.browserId,
				// A busy machine may notice too late that n8n has closed a connection that was kept.
				connection: 'close',
				...(this.cookie && { cookie: this.cookie }),
				...(body && { 'content-type': 'application/json' }),
			},
			...(body && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(TIMEOUT_MS),
		});
		const text = await response.text();
		const answer = parseJson(text);
		if (!response.ok) {
			const message = isRecord(answer) && answer.message ? String(answer.message) : text;
			throw new RestError(response.status, `${method} ${path}`, message.slice(0, 500));
		}
		this.keepSession(response);
		// Most routes wrap their answer in `data`, static files such as /types/nodes.json do not.
		return (isRecord(answer) && 'data' in answer ? answer.data : answer) as T;
	}

	private keepSession(response: Response): void {
		const session = response.headers
			.getSetCookie()
			.map((cookie) => cookie.split(';', 1)[0])
			.find((cookie) => cookie?.startsWith('n8n-auth='));
		if (session) this.cookie = session;
	}
}
