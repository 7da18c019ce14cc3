/** Events, as a service sends them to a trigger. */
import type { IDataObject } from 'n8n-workflow';

import type { Flow } from '../../sandbox/n8n/flow.ts';

/** What the service proves its events with. */
export const SECRET = 'a-webhook-secret-for-tests';

export interface Call {
	body?: BodyInit;
	headers?: Record<string, string>;
	/** What follows the address. */
	query?: string;
	/** The address to call, if not that for production. */
	url?: string;
}

/** Calls a trigger with JSON and nothing that proves where it comes from. */
export async function callTrigger(
	flow: Flow,
	{ body = '{}', headers, query = '', url = flow.url }: Call = {},
): Promise<Response> {
	return await fetch(url + query, {
		method: 'POST',
		body,
		headers: { 'content-type': 'application/json', ...headers },
	});
}

/** The same with the secret in its header. */
export async function post(
	flow: Flow,
	body: BodyInit,
	headers: Record<string, string> = {},
	url?: string,
): Promise<Response> {
	return await callTrigger(flow, {
		body,
		headers: { 'x-webhook-secret': SECRET, ...headers },
		url,
	});
}

/** What the trigger put out in the executions since the last time, of which there have to be so many. */
export async function outputs(flow: Flow, count: number): Promise<IDataObject[]> {
	const runs = await flow.ran(count);
	expect(runs.map(({ error }) => error?.message)).toEqual(runs.map(() => undefined));
	return runs.flatMap(({ items }) => items(flow.trigger.name).map(({ json }) => json));
}
