import {
	seeded,
	startService,
	type Service,
	type ServiceOptions,
} from '../../sandbox/service/service.ts';

export interface Request {
	method?: string;
	/** The demo team's unless given; null for none. */
	apiKey?: string | null;
	/** Sent as JSON. */
	body?: unknown;
	/** Sent as it is. */
	text?: string;
	headers?: Record<string, string>;
}

/** Sends a request below the service's base URL, or to an address. */
export async function send(service: Service, path: string, request: Request = {}) {
	const { apiKey = seeded.demo.apiKey, body, text = toText(body), headers = {} } = request;
	const response = await fetch(path.startsWith('http') ? path : service.url + path, {
		method: request.method ?? (text === undefined ? 'GET' : 'POST'),
		redirect: 'manual',
		body: text,
		headers: {
			...(apiKey === null ? {} : { apiKey }),
			...(text === undefined ? {} : { 'content-type': 'application/json' }),
			...headers,
		},
	});
	const answer = await response.text();
	return { status: response.status, headers: response.headers, text: answer, body: parse(answer) };
}

/** Runs something with a service of its own. */
export async function withService(
	options: ServiceOptions,
	use: (service: Service) => Promise<void>,
): Promise<void> {
	const service = await startService({ messages: 120, ...options });
	try {
		await use(service);
	} finally {
		await service.close();
	}
}

/** A webhook call of the demo team. */
export function invoke(service: Service, request: Request = {}) {
	const [webhookId] = seeded.demo.webhookIds;
	return send(service, `/public/pipelines/webhook/${webhookId}`, {
		method: 'POST',
		...(request.text === undefined ? { body: { phone: '+15555550142' } } : {}),
		...request,
	});
}

function toText(body: unknown): string | undefined {
	return body === undefined ? undefined : JSON.stringify(body);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
