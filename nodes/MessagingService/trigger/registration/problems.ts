import type { Explanation } from '../../api/request';
import type { Subscription, Unconfirmed } from '../../memory/subscriptions';
import { explainFailure, Problem } from '../../nodeError';
import type { RegistrationSettings } from './settings';

/** How many fields of an answer an error names. */
const MAX_NAMES = 10;

// When an activation fails, n8n 2 shows the message of an error alone, and n8n 1 its description.

/** The service does not offer subscriptions where it is asked for them. */
export function noEndpoint(settings: Pick<RegistrationSettings, 'path'>): Explanation {
	return {
		message: `The service takes no subscriptions at ${settings.path}: check "Subscription Path"`,
		description:
			'Check "Subscription Path". If your service takes no subscriptions, set "Registration" to "Manual" and enter the address of this trigger at the service by hand.',
	};
}

/** The service asks for a longer pause than an activation can wait. */
export function busy(): Problem {
	return new Problem(
		'The messaging service is not accepting more requests right now: publish the workflow again later',
		'The service asked for a longer pause than n8n waits for an activation. The request was not sent. Publish (activate) the workflow again later.',
	);
}

/** The service's list has a subscription of this trigger, and its ID is not where it is looked for. */
export function listedWithoutId(
	address: string,
	{ idField }: Pick<RegistrationSettings, 'idField'>,
): Problem {
	return new Problem(
		`The service lists a subscription for ${address} that has no "${idField}": check "ID Field"`,
		`Enter the name of the field with the ID as "ID Field" in "Registration Details". Until then this trigger can neither use nor remove the subscription for ${address}.`,
	);
}

/** The service made a subscription, and its ID is not where it is looked for. */
export function madeWithoutId(
	doubt: Unconfirmed,
	{ idField }: Pick<RegistrationSettings, 'idField'>,
): Problem {
	const { address } = doubt;
	const made = `The service made a subscription for ${address}, and its answer has no "${idField}"`;
	const names = Object.keys(doubt.answer).slice(0, MAX_NAMES).join(', ');
	if (names === '') {
		return new Problem(
			`${made}: ${wayOut(doubt)}`,
			`${made}, nor any other text or number. Look at the service: ${wayOut(doubt)}.`,
		);
	}
	return new Problem(
		`${made} but ${names}: enter the one with the ID as "ID Field"`,
		`${made} but ${names}. Enter the one with the ID as "ID Field" in "Registration Details", and this trigger uses that subscription. If the ID is not among them, ${wayOut(doubt)}.`,
	);
}

/** The service refuses to make a second subscription of the same address, and does not show the first. */
export function alreadyThere(address: string, failure: unknown): Problem {
	return new Problem(
		`The service has a subscription for ${address} already, which this trigger cannot find: remove it there, or enter its ID as "Subscription ID"`,
		`${wordsOf(failure).description} The service answered that there is a subscription for ${address} already. Remove it there, or enter its ID as "Subscription ID" in "Registration Details".`,
	);
}

/** The service does not know the ID that was entered. */
export function unknownId(id: string, address: string): Problem {
	return new Problem(
		`The service does not find the subscription "${id}" for ${address}: check "Subscription ID"`,
		`"Subscription ID" in "Registration Details" has to be the ID of the subscription that the service has for ${address}.`,
	);
}

/** The service does not remove a subscription; without a failure, it answers "not found" to that. */
export function notRemoved({ address, id }: Subscription, failure?: unknown): Problem {
	const what = `The subscription "${id}" for ${address} was not removed`;
	const next = 'Try again later, or remove it at the service.';
	if (failure === undefined) {
		const why = `${what}: the service answers "not found", although it shows it`;
		return new Problem(why, `${why}. ${next}`);
	}
	const { message, description } = wordsOf(failure);
	return new Problem(`${message}. ${what}`, `${description} ${what}. ${next}`);
}

/** The service failed, made a subscription all the same, and does not take it away. */
export function keptInDoubt({ address, id }: Subscription, failure: unknown): Problem {
	const { message, description } = wordsOf(failure);
	return new Problem(
		`${message}. It made the subscription "${id}" for ${address} all the same: publish the workflow again to use it`,
		`${description} The service has the subscription "${id}" for ${address}, and did not remove it. Activate the workflow again to use it, or remove it at the service.`,
	);
}

/**
 * A subscription may be left at the service, and this trigger cannot tell. Another one is not asked for until
 * somebody has looked.
 *
 * @param failure what has just gone wrong, if that is why
 */
export function leftOver(doubt: Unconfirmed, failure?: unknown): Problem {
	const cause = failure === undefined ? undefined : wordsOf(failure);
	const { id, address } = doubt;
	const what =
		id === undefined
			? `The service may have a subscription for ${address} that this trigger cannot find`
			: `The service may still have the subscription "${id}" for ${address}`;
	return new Problem(
		`${cause ? `${cause.message}. ` : ''}${what}: ${wayOut(doubt)}`,
		`${cause ? `${cause.description} ` : ''}${what}. A second one would start the workflow twice for each event, so none is asked for. Look at the service: ${wayOut(doubt)}.`,
	);
}

function wordsOf(failure: unknown): Explanation {
	return explainFailure(failure) ?? { message: String(failure), description: '' };
}

function wayOut({ id, attempt }: Unconfirmed): string {
	const next = `remove it there if it exists, then set "Attempt" in "Registration Details" to ${attempt + 1}`;
	return id === undefined ? `${next}, or enter its ID as "Subscription ID"` : next;
}
