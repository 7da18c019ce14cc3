import { request, type Agent } from 'node:http';

interface Post {
	agent: Agent;
	headers: Record<string, string>;
	body: string;
	/** How long the receiver may be silent. */
	timeoutMs: number;
}

/** Posts JSON and gives the status, following no redirect; rejects when there is no complete answer. */
export function post(url: URL, { agent, headers, body, timeoutMs }: Post): Promise<number> {
	return new Promise((resolve, reject) => {
		const posted = request(url, {
			method: 'POST',
			agent,
			timeout: timeoutMs,
			headers: {
				'Content-Type': 'application/json',
				'Content-Length': Buffer.byteLength(body),
				...headers,
			},
		});
		posted.on('error', reject);
		posted.on('timeout', () => posted.destroy(withCode('ETIMEDOUT')));
		posted.on('response', (response) => {
			response.resume();
			response.on('close', () => {
				if (response.complete) resolve(response.statusCode ?? 0);
				else reject(withCode('ECONNRESET'));
			});
		});
		posted.end(body);
	});
}

/** The stand-in's invented events go to this machine only. */
export function isOnThisMachine({ protocol, hostname }: URL): boolean {
	return protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The code of a network error, such as `ECONNREFUSED`. */
export function codeOf(error: unknown): string {
	return typeof error === 'object' && error !== null && 'code' in error
		? String(error.code)
		: String(error);
}

function withCode(code: string): Error {
	return Object.assign(new Error(code), { code });
}
