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

const { timeout: DEFAULT_TIMEOUT, requestsPerMinute: DEFAULT_REQUESTS } = DEFAULT_TRANSPORT;
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

const REQUESTS_PER_MINUTE: INodeProperties = {
	displayName: 'Requests per Minute',
	name: 'requestsPerMinute',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: DEFAULT_REQUESTS,
	description:
		'How many webhook calls your team may make within 60 seconds. Calls beyond that wait for their turn.',
};

const RETRY_ON_SERVER_ERROR: INodeProperties = {
	displayName: 'Retry on Server Error',
	name: 'retryOnServerError',
	type: 'boolean',
	default: false,
	description:
		'Whether to retry a call that the service may already have processed: after a server error, a timeout or a lost connection. The agent may then run twice.',
};

export const resendUncertain: INodeProperties = {
	displayName: 'Resend Uncertain',
	name: 'resendUncertain',
	type: 'boolean',
	default: false,
	description:
		'Whether to resend an item whose earlier call may have been accepted. Without this, it comes out with "uncertain" where Send Once is on, and fails when you retry an execution.',
};

/** What all calls of webhooks have. */
export const webhookOptions = [REQUESTS_PER_MINUTE, RETRY_ON_SERVER_ERROR, resendUncertain];

/** What all operations have. */
const COMMON = [TIMEOUT, MAX_RETRIES, MAX_RESPONSE_SIZE];

const CONCURRENCY = 'Concurrency';

/** The "Options" of an operation that sends one request after the other. */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return collection('Options', 'Add option', [...own, ...COMMON]);
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
	return collection('Options', 'Add option', [...own, ...COMMON, field]);
}

/** A field whose members are added one by one, in the order of their names. */
export function collection(
	displayName: string,
	placeholder: string,
	options: INodeProperties[],
): INodeProperties {
	return {
		displayName,
		name: displayName.toLowerCase(),
		type: 'collection',
		placeholder,
		default: {},
		options: options.sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** Whether an option is on. Unless it was added, it is off. */
export function isOn(
	parameters: Parameters,
	{ name, displayName: label }: INodeProperties,
): boolean {
	return parameters.boolean(`options.${name}`, { label }) ?? false;
}

/** Reads how the requests of an item are sent. */
export function readTransport(parameters: Parameters): TransportOptions {
	const integer = ({ name, displayName: label }: INodeProperties, least: number) =>
		parameters.integer(`options.${name}`, least, { label });
	return {
		timeout: integer(TIMEOUT, 1) ?? DEFAULT_TIMEOUT,
		maxResponseSize: (integer(MAX_RESPONSE_SIZE, 1) ?? DEFAULT_MEGABYTES) * MEGABYTE,
		maxRetries: integer(MAX_RETRIES, 0),
		requestsPerMinute: integer(REQUESTS_PER_MINUTE, 1) ?? DEFAULT_REQUESTS,
		retryOnServerError: isOn(parameters, RETRY_ON_SERVER_ERROR),
	};
}

/** Reads how many requests may be under way at once. */
export function readConcurrency(parameters: Parameters, otherwise = DEFAULT_CONCURRENCY): number {
	return parameters.integer('options.concurrency', 1, { label: CONCURRENCY }) ?? otherwise;
}
