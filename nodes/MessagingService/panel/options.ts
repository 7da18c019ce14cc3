import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { DEFAULT_TRANSPORT, type TransportOptions } from '../api/client';
import { MAX_CALLS } from '../api/callGate';
import { asObject } from '../api/json';
import { Problem } from '../words/problem';
import type { ItemParameters } from './parameters';

const {
	timeout: DEFAULT_TIMEOUT,
	maxRetries: DEFAULT_RETRIES,
	requestsPerMinute: DEFAULT_REQUESTS,
} = DEFAULT_TRANSPORT;

const timeoutField = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	// Somebody who thinks in seconds would give up on texts that are accepted.
	typeOptions: { minValue: 1_000 },
	default: DEFAULT_TIMEOUT,
	description: 'How long to wait for a complete answer, in milliseconds. 60000 is a minute.',
} satisfies INodeProperties;

const maxRetriesField = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_RETRIES,
	description:
		'How often to retry after a temporary failure, where nothing can happen twice. After status 429, the node waits for up to 15 minutes instead; with 0, only Agent: Start does.',
} satisfies INodeProperties;

const requestsPerMinuteField = {
	displayName: 'Requests per Minute',
	name: 'requestsPerMinute',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: DEFAULT_REQUESTS,
	description:
		'How many webhook calls your team may make within 60 seconds. Calls beyond that wait for their turn.',
} satisfies INodeProperties;

export const retryUnknownField: INodeProperties = {
	displayName: 'Retry on Server Error',
	name: 'retryUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether to retry a call that the service may already have processed: after a server error, a timeout or a lost connection. The agent may then run twice.',
};

export const resendUncertainField: INodeProperties = {
	displayName: 'Resend Uncertain',
	name: 'sendAgain_UNKNOWN',
	type: 'boolean',
	default: false,
	description:
		'Whether to resend an item whose earlier call may have been accepted. Otherwise it comes out as "uncertain" with Send Once, and fails when you retry an execution. Check your messages first, and turn it off afterwards.',
};

const concurrencyField = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1, maxValue: MAX_CALLS },
	default: MAX_CALLS,
	description:
		'Max number of calls in progress at once. Lower it for a service that cannot take that many.',
} satisfies INodeProperties;

/** The options of every operation that calls webhooks. */
export const webhookOptionFields = [
	concurrencyField,
	requestsPerMinuteField,
	retryUnknownField,
	resendUncertainField,
];

/** The "Options" of an operation: its own, and what all of them have. */
export function optionsField(...own: INodeProperties[]): INodeProperties {
	return collection('Options', 'Add option', [...own, timeoutField, maxRetriesField]);
}

/** A field whose members are added one by one. */
export type Collection = Omit<INodeProperties, 'options'> & { options: INodeProperties[] };

/** Makes such a field, with its members sorted by their displayed names. */
export function collection(
	displayName: string,
	placeholder: string,
	options: INodeProperties[],
): Collection {
	return {
		displayName,
		name: displayName.toLowerCase(),
		type: 'collection',
		placeholder,
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** Whether an option is on. Unless it was added, it is off. */
export function isOptionOn(parameters: ItemParameters, option: INodeProperties): boolean {
	return parameters.isOn({ ...option, name: `options.${option.name}` });
}

/** Reads the transport options of an item: its timeout, retries and rate limit. */
export function readTransport(parameters: ItemParameters): TransportOptions {
	const read = (field: typeof timeoutField) => {
		const { name, displayName: label, typeOptions, default: otherwise } = field;
		return parameters.integer(`options.${name}`, typeOptions.minValue, { label }) ?? otherwise;
	};
	return {
		timeout: read(timeoutField),
		maxRetries: read(maxRetriesField),
		requestsPerMinute: read(requestsPerMinuteField),
	};
}

/**
 * Reads how many requests of a run may be under way at once.
 *
 * @param rawParameters with expressions unresolved, since the number is the same for all items
 */
export function readConcurrency({ options }: INodeParameters): number {
	const { concurrency = concurrencyField.default } = asObject(options);
	if (Number.isSafeInteger(concurrency) && Number(concurrency) >= 1) {
		return Math.min(Number(concurrency), MAX_CALLS);
	}
	throw new Problem(
		`"${concurrencyField.displayName}" has to be a whole number of at least 1`,
		'Enter a number. It holds for all items, so it cannot be an expression.',
	);
}
