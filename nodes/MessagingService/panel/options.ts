import { DEFAULT_TRANSPORT, type TransportOptions } from '../api/client';
import { type Collection, collection, type Field, type NumberField } from './field';
import type { PanelValues } from './values';

// n8n's linter takes a plain name as a default, but not the member of an object.
const { timeout, maxRetries, requestsPerMinute } = DEFAULT_TRANSPORT;

const timeoutField: NumberField = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	// A smaller number is probably meant in seconds, and would give up on calls that are accepted.
	typeOptions: { minValue: 1_000 },
	default: timeout,
	description: 'How long to wait for a complete answer, in milliseconds. 60000 is a minute.',
};

const maxRetriesField: NumberField = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: maxRetries,
	description:
		'How often to retry after a temporary failure, where nothing can happen twice. Waiting after 429 does not count.',
};

/** The limit of the webhook endpoint. */
export const requestsPerMinuteField: NumberField = {
	displayName: 'Requests per Minute',
	name: 'requestsPerMinute',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: requestsPerMinute,
	description:
		'How many webhook calls this n8n process makes for your team in 60 seconds. The others wait.',
};

/** The "Options" of an operation: its own, and what all of them have. */
export function optionsField(...own: Field[]): Collection {
	return collection({
		displayName: 'Options',
		name: 'options',
		placeholder: 'Add option',
		options: [...own, timeoutField, maxRetriesField],
	});
}

/** Reads how requests are sent: their timeout, retries and rate limit. */
export function readTransport(options: PanelValues): TransportOptions {
	return {
		timeout: options.integer(timeoutField),
		maxRetries: options.integer(maxRetriesField),
		requestsPerMinute: options.integer(requestsPerMinuteField),
	};
}
