import type { INodeProperties } from 'n8n-workflow';
import {
	DEFAULT_RATE_LIMIT_RETRIES,
	DEFAULT_RETRIES,
	DEFAULT_TRANSPORT,
	type TransportOptions,
} from '../api/client';
import type { Parameters } from './parameters';

/** The most requests of a node run that are under way at once, unless the options say otherwise. */
const DEFAULT_CONCURRENCY = 64;

const { timeout: DEFAULT_TIMEOUT } = DEFAULT_TRANSPORT;
const MEGABYTE = 1_000_000;
const DEFAULT_MEGABYTES = DEFAULT_TRANSPORT.maxResponseSize / MEGABYTE;

const TIMEOUT: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: DEFAULT_TIMEOUT,
	description: 'How many milliseconds the service has to send its whole response to a request',
};

const MAX_RETRIES: INodeProperties = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_RETRIES,
	description: `How many times a request is sent again after a temporary failure. If not set: ${DEFAULT_RETRIES} times, or ${DEFAULT_RATE_LIMIT_RETRIES} after status 429. A request that the service may have acted on is not sent again. Waiting for the rate limit of webhooks does not count.`,
};

const MAX_RESPONSE_SIZE: INodeProperties = {
	displayName: 'Max Response Size',
	name: 'maxResponseSize',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 500 },
	default: DEFAULT_MEGABYTES,
	description:
		'How large a response of the service may be, in megabytes after decompression. A larger one is an error, so that it cannot use up the memory of n8n.',
};

/** What all operations have. */
const COMMON = [TIMEOUT, MAX_RETRIES, MAX_RESPONSE_SIZE];

const CONCURRENCY = 'Concurrency';

/** The "Options" of an operation that sends one request after the other. */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return collection([...own, ...COMMON]);
}

/** The "Options" of an operation that sends several requests at a time. */
export function concurrentOptionsField(
	own: INodeProperties[],
	concurrency = DEFAULT_CONCURRENCY,
): INodeProperties {
	const field: INodeProperties = {
		displayName: CONCURRENCY,
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1_000 },
		default: concurrency,
		description:
			'Maximum number of requests under way at once. The node starts with fewer and adapts to what the service can take.',
	};
	return collection([...own, ...COMMON, field]);
}

function collection(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** Reads how the requests of an item are sent. */
export function readTransport(parameters: Parameters): TransportOptions {
	const integer = (name: string, least: number, label: string) =>
		parameters.integer(`options.${name}`, least, { label });
	const megabytes =
		integer('maxResponseSize', 1, MAX_RESPONSE_SIZE.displayName) ?? DEFAULT_MEGABYTES;
	return {
		timeout: integer('timeout', 1, TIMEOUT.displayName) ?? DEFAULT_TIMEOUT,
		maxResponseSize: megabytes * MEGABYTE,
		maxRetries: integer('maxRetries', 0, MAX_RETRIES.displayName),
		requestsPerMinute:
			integer('requestsPerMinute', 1, 'Requests per Minute') ?? DEFAULT_TRANSPORT.requestsPerMinute,
		retryOnServerError:
			parameters.boolean('options.retryOnServerError', { label: 'Retry on Server Error' }) ??
			DEFAULT_TRANSPORT.retryOnServerError,
	};
}

/** Reads how many requests may be under way at once. */
export function readConcurrency(parameters: Parameters, otherwise = DEFAULT_CONCURRENCY): number {
	return parameters.integer('options.concurrency', 1, { label: CONCURRENCY }) ?? otherwise;
}
