import type { IDataObject, IHookFunctions, INodeProperties } from 'n8n-workflow';
import { readAccount, readWebhookSecret, readWebhookSecrets } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { asObject, isObject, isTextOrNumber, parseJson } from '../api/json';
import { type ApiRequest, RequestFailure } from '../api/request';
import { path } from '../api/url';
import { accountKeyOf, connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { PanelValues } from '../panel/parameters';
import { dropdown } from './dropdown';
import { placeOf } from './logging';
import { readSettings } from './settings';
import { checkSecrets } from './verification';

const AUTOMATIC = 'automatic';
const MANUAL = 'manual';
const REGISTRATIONS = [
	{
		name: 'Automatic',
		value: AUTOMATIC,
		description:
			'Subscribes to the events when you publish (activate) the workflow. Your service must offer that.',
	},
	{ name: 'Manual', value: MANUAL, description: 'You enter the address at the service yourself' },
];

const registrationField = dropdown({
	displayName: 'Registration',
	name: 'registration',
	default: MANUAL,
	description: 'How your messaging service learns the address of this trigger',
	entries: REGISTRATIONS,
});

/** What the user has to do outside the panel. */
export const addressNotice: INodeProperties = {
	displayName:
		'Enter the Production URL (above, under "Webhook URLs") at your service, and the same secret there and as "Webhook Secret" in the credential. No service outside can reach an address with "localhost" or of a private network.',
	name: 'addressNotice',
	type: 'notice',
	default: '',
	displayOptions: {
		show: { registration: [MANUAL], verification: ['sharedSecret', 'signature'] },
	},
};

const whenAutomatic = { displayOptions: { show: { registration: [AUTOMATIC] } } };

const pathField: INodeProperties = {
	displayName: 'Subscription Path',
	name: 'subscriptionPath',
	type: 'string',
	required: true,
	default: '',
	description:
		'Where your service takes subscriptions, below the base URL of the credential. Look the path and the names below up in its documentation, or ask whoever runs it.',
	...whenAutomatic,
};

const detail = (displayName: string, name: string, preset: string, what: string) =>
	({
		displayName,
		name,
		type: 'string',
		default: preset,
		description: `Name of the field for ${what}`,
	}) satisfies INodeProperties;

const URL_FIELD = detail('Address Field', 'urlField', 'url', 'the address of this trigger');
const EVENTS_FIELD = detail('Events Field', 'eventsField', 'events', 'the list of events, if any');
const ID_FIELD = detail('ID Field', 'idField', 'id', 'the ID of the subscription in the answer');
const SECRET_FIELD = detail(
	'Secret Field',
	'secretField',
	'',
	'the webhook secret of the credential. Leave it empty if you enter the secret at the service yourself.',
);

const detailsField: INodeProperties = {
	displayName: 'Registration Details',
	name: 'subscription',
	type: 'collection',
	placeholder: 'Add detail',
	default: {},
	description: 'What the service calls the parts of a subscription',
	options: [URL_FIELD, EVENTS_FIELD, ID_FIELD, SECRET_FIELD],
	...whenAutomatic,
};

export const registrationFields: INodeProperties[] = [registrationField, pathField, detailsField];

/** A subscription at the service, as it is kept in the static data of the trigger. */
interface Subscription {
	id: string;
	/** The account that it was made in. */
	account: string;
	/** Where it was made, below the base URL. */
	path: string;
	/** The address of the trigger, and the names of the events. Production and tests have other addresses. */
	address: string;
	events: string;
}

/** The subscription to ask for: the body of the request, and where its answer has the ID. */
interface SubscriptionRequest {
	subscription: Omit<Subscription, 'id'>;
	body: IDataObject;
	idField: string;
}

/** Milliseconds for all requests of an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 12_000;

/** Whether the subscription that this trigger needs was made before, as after a restart of n8n. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await withNodeErrors(context.getNode(), async () => {
		const wanted = (await checkSettings(context))?.subscription;
		const stored = storedOf(context);
		if (!wanted || !stored) return false;
		const { account, path: made, address, events } = wanted;
		const isSame = stored.account === account && stored.address === address;
		return isSame && stored.path === made && stored.events === events;
	});
}

/**
 * Subscribes this trigger at the service, and takes its earlier subscription away. With manual registration, it only
 * checks the settings.
 *
 * @throws {NodeApiError | NodeOperationError} when calls could not be verified, something is not filled in, or it is
 * not certain that the service has this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	await withNodeErrors(context.getNode(), async () => {
		const request = await checkSettings(context);
		if (!request) return;
		const client = await connectBriefly(context);
		await removeStored(context, client);
		const id = await create(client, request);
		context.getWorkflowStaticData('node').subscription = { id, ...request.subscription };
	});
}

/** Takes the subscription of this trigger away, if it has made one. */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	await withNodeErrors(context.getNode(), async () => {
		if (storedOf(context)) await removeStored(context, await connectBriefly(context));
	});
}

/**
 * Stops the activation when calls could not be verified, filtered or answered as the panel says.
 *
 * @returns The subscription to ask for; undefined for manual registration.
 */
async function checkSettings(context: IHookFunctions): Promise<SubscriptionRequest | undefined> {
	const values = PanelValues.ofTrigger(context);
	const { verification, filters } = readSettings(values);
	const isAutomatic = values.choice(registrationField, REGISTRATIONS).value === AUTOMATIC;
	const endpoint = values.textOf(pathField).replace(/^\/+|\/+$/g, '');
	if (isAutomatic && endpoint === '') {
		throw new Problem(
			'"Subscription Path" is empty',
			'Enter the path at which your service takes subscriptions, as its documentation gives it, or set "Registration" to "Manual".',
		);
	}
	if (isAutomatic && verification?.secretAt?.part === 'query') {
		throw new Problem(
			'With automatic registration, the secret cannot be in the query: the service is told the address without it',
			'Set "Secret Location" to "Header", or "Registration" to "Manual".',
		);
	}
	if (!verification && !isAutomatic) return undefined;
	const credential = await context.getCredentials(CREDENTIALS_TYPE);
	if (verification) checkSecrets(verification, readWebhookSecrets(credential));
	if (!isAutomatic) return undefined;
	const details = values.members(detailsField);
	const secretField = details.textOf(SECRET_FIELD);
	const secret = readWebhookSecret(credential);
	const { events } = filters;
	const address = addressOf(context);
	const body = {
		[details.textOf(URL_FIELD)]: address,
		...(events.length > 0 && { [details.textOf(EVENTS_FIELD)]: events }),
		...(secretField && secret && { [secretField]: secret }),
	};
	const idField = details.textOf(ID_FIELD);
	const account = accountKeyOf(context, readAccount(credential));
	const subscription = { account, path: `/${endpoint}`, address, events: events.join() };
	return { subscription, body, idField };
}

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = await connect(context);
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

/** Makes a subscription, with one request, and returns its ID. */
async function create(
	client: Client,
	{ subscription, body, idField }: SubscriptionRequest,
): Promise<string> {
	const { address, path: endpoint } = subscription;
	const look = `remove every subscription for ${address} there`;
	const nowhere = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger there by hand`;
	const notFound = { message: nowhere, description: nowhere };
	const unsure = `It may have made the subscription: ${look}, and publish again.`;
	const request: ApiRequest = {
		method: 'POST',
		path: endpoint,
		repeat: 'ifRefused',
		body,
		notFound,
	};
	const response = await client.send(request).catch((failure: unknown) => {
		// With 409, services say that there is one.
		const isSure =
			!(failure instanceof RequestFailure) ||
			(failure.outcome !== 'unknown' && failure.status !== 409);
		throw isSure ? failure : activationProblem(failure, unsure);
	});
	const answer = parseJson(response.text);
	if (!isObject(answer)) throw activationProblem(client.unexpected(request, response), unsure);
	const id = answer[idField] ?? asObject(answer.data)[idField];
	if (isTextOrNumber(id)) return String(id);
	const nameless = `The service made a subscription, and its answer has no "${idField}": ${look}, enter the right name as "ID Field" in "Registration Details", and publish again.`;
	throw new Problem(nameless, nameless);
}

/**
 * Takes the stored subscription away at the service, where it may be gone already. That of another account is left to the
 * user: the ID may belong to somebody else in this one, and the key of that one is not known any more.
 */
async function removeStored(context: IHookFunctions, client: Client): Promise<void> {
	const stored = storedOf(context);
	if (!stored) return;
	const { id, account, address, path: endpoint } = stored;
	if (account !== accountKeyOf(context, client.account)) {
		const [baseUrl] = account.split(' ');
		const words = `The subscription "${id}" for ${address} was made with another credential or base URL, at ${baseUrl}: remove it there by hand`;
		context.logger.warn(words, placeOf(context));
		delete context.getWorkflowStaticData('node').subscription;
		return;
	}
	const removal: ApiRequest = {
		method: 'DELETE',
		path: endpoint + path`/${id}`,
		endpoint,
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	await client.send(removal).catch((failure: unknown) => {
		const advice = `The subscription "${id}" for ${address} was not removed. Try again later, or remove it at the service.`;
		throw activationProblem(failure, advice);
	});
	delete context.getWorkflowStaticData('node').subscription;
}

/** The subscription that this trigger has made, maybe for an earlier address of n8n. */
function storedOf(context: IHookFunctions): Subscription | undefined {
	const stored = context.getWorkflowStaticData('node').subscription;
	if (!isObject(stored)) return undefined;
	const subscription = {
		id: String(stored.id),
		account: String(stored.account),
		path: String(stored.path),
		address: String(stored.address),
		events: String(stored.events),
	};
	// The static data of a copied workflow has the subscription of the original. n8n tells triggers apart by the end.
	const endOf = (url: string) => url.split('/').slice(-2).join('/');
	const isOwn = endOf(subscription.address) === endOf(addressOf(context));
	return isOwn ? subscription : undefined;
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem('n8n does not know the address of this trigger');
}
