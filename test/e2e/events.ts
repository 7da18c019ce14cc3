/** Events, as a service sends them to a trigger. */
import { gzipSync } from 'node:zlib';

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

/** Calls a trigger with nothing that proves where the call comes from: with JSON, where no type is given. */
export async function callTrigger(
	flow: Flow,
	{ body = '{}', headers, query = '', url = flow.url }: Call = {},
): Promise<Response> {
	// A form with files has a type of its own.
	const type = body instanceof FormData ? undefined : { 'content-type': 'application/json' };
	return await fetch(url + query, { method: 'POST', body, headers: { ...type, ...headers } });
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

export const FORM = 'application/x-www-form-urlencoded';

/** How services write an event: its body and the headers that say how. */
export const ENCODINGS: Record<string, (event: Record<string, unknown>) => Call> = {
	JSON: (event) => ({ body: JSON.stringify(event) }),
	'JSON with its character set': (event) => ({
		body: Buffer.from(JSON.stringify(event), 'utf16le'),
		headers: { 'content-type': 'application/json; charset=utf-16le' },
	}),
	'JSON that is packed': (event) => ({
		body: gzipSync(JSON.stringify(event)),
		headers: { 'content-encoding': 'gzip' },
	}),
	'JSON of a type of its own': (event) => ({
		body: `\uFEFF${JSON.stringify(event)}`,
		headers: { 'content-type': 'application/cloudevents+json' },
	}),
	'JSON without a type': (event) => ({
		body: new Blob([JSON.stringify(event)]),
		headers: { 'content-type': '' },
	}),
	'JSON with a blank behind its type': (event) => ({
		body: JSON.stringify(event),
		headers: { 'content-type': 'application/json ; charset=utf-8' },
	}),
	'JSON as plain text': (event) => ({
		body: JSON.stringify(event),
		headers: { 'content-type': 'text/plain' },
	}),
	'JSON as a text within JSON': (event) => ({ body: JSON.stringify(JSON.stringify(event)) }),
	'JSON as a text in a field': (event) => ({
		body: JSON.stringify({ payload: JSON.stringify(event) }),
	}),
	'JSON that is said to be a form': (event) => ({
		body: JSON.stringify(event),
		headers: { 'content-type': FORM },
	}),
	'a form': (event) => ({
		// Blanks and quotation marks are sent as they are by some.
		body: Object.entries(event)
			.map(([name, value]) => `${name}=${value}`)
			.join('&'),
		headers: { 'content-type': FORM },
	}),
	'a form with JSON in its field "payload"': (event) => ({
		body: `payload=${encodeURIComponent(JSON.stringify(event))}`,
		headers: { 'content-type': `${FORM}; charset=utf-8` },
	}),
	'a form with JSON in "payload" beside others': (event) => ({
		body: `payload=${encodeURIComponent(JSON.stringify(event))}&event=message.created`,
		headers: { 'content-type': FORM },
	}),
	'a form with files': (event) => ({ body: formWith(event) }),
	'a form with files and JSON in its field "payload"': (event) => ({
		body: formWith({ payload: JSON.stringify(event) }),
	}),
};

function formWith(fields: Record<string, unknown>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
	return form;
}
