import type { ICredentialDataDecryptedObject, IDataObject, IHookFunctions } from 'n8n-workflow';
import { readAccount, readWebhookSecret, readWebhookSecrets } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { asObject, isId, isObject, parseJson } from '../api/json';
import { type ApiRequest, type ApiResponse, RequestFailure } from '../api/request';
import { path } from '../api/url';
import { accountKeyOf, connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { isMarkup } from '../n8n/serviceWords';
import { PanelValues } from '../panel/parameters';
import { logContext } from '../n8n/logContext';
import { readRegistration, type Registration } from './registrationFields';
import { readSettings } from './settings';
import { checkSecrets } from './verification';

/** A subscription that this trigger has made, as its static data keep it. */
interface Subscription {
	id: string;
	/** Whose it is: a copy of the workflow has the static data, too. */
	workflowId: string;
	/** The account that it was made in, and where, below the base URL. */
	account: string;
	endpoint: string;
	/** The address of the trigger. Production and tests have other addresses. */
	address: string;
	/** The names of the events, separated by commas. */
	events: string;
	/** Set when the service did not take it away, so that nobody knows whether it is still there. */
	isUncertain?: boolean;
}

/** What to ask the service for, and where its answer has the ID. */
interface SubscriptionRequest {
	/** Another subscription is needed when any of this changes. */
	needed: Omit<Subscription, 'id' | 'isUncertain'>;
	body: IDataObject;
	idField: string;
}

/** Whether the subscription that this trigger needs was made before, as after a restart of n8n. */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	return await withNodeErrors(context.getNode(), async () => {
		const needed = (await checkSettings(context))?.needed;
		const stored = storedOf(context);
		if (!needed || !stored || stored.isUncertain) return false;
		const parts = ['account', 'endpoint', 'address', 'events'] as const;
		return parts.every((part) => stored[part] === needed[part]);
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
		if (!request) {
			leaveStored(context);
			return;
		}
		const client = await connectBriefly(context);
		await removeStored(context, client);
		const id = await create(client, request);
		staticDataOf(context).subscription = { id, ...request.needed };
	});
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * makes sure of it: an error would keep n8n from storing that.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	const stored = storedOf(context);
	if (!stored) return;
	const remove = async () => await removeStored(context, await connectBriefly(context));
	await withNodeErrors(context.getNode(), remove).catch(({ message }: Error) => {
		staticDataOf(context).subscription = { ...stored, isUncertain: true };
		context.logger.warn(message, logContext(context));
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
	const registration = readRegistration(values);
	if (registration && verification?.secretAt?.part === 'query') {
		throw new Problem(
			'With automatic registration, the secret cannot be in the query: the service is told the address without it',
			'Set "Secret Location" to "Header", or "Registration" to "Manual".',
		);
	}
	if (!verification && !registration) return undefined;
	const credential = await context.getCredentials(CREDENTIALS_TYPE);
	if (verification) checkSecrets(verification, readWebhookSecrets(credential));
	return registration && requestFor(context, registration, filters.events, credential);
}

/** The subscription of this trigger, in the words of the service. */
function requestFor(
	context: IHookFunctions,
	{ endpoint, urlField, eventsField, secretField, idField }: Registration,
	events: string[],
	credential: ICredentialDataDecryptedObject,
): SubscriptionRequest {
	const address = addressOf(context);
	const secret = readWebhookSecret(credential);
	return {
		needed: {
			workflowId: String(context.getWorkflow().id),
			account: accountKeyOf(context, readAccount(credential)),
			endpoint,
			address,
			events: events.join(),
		},
		body: {
			[urlField]: address,
			...(events.length > 0 && { [eventsField]: events }),
			...(secretField && secret && { [secretField]: secret }),
		},
		idField,
	};
}

/** Milliseconds for all requests of an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 12_000;

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = await connect(context);
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

/** Makes a subscription, with one request, and returns its ID. */
async function create(
	client: Client,
	{ needed: { address, endpoint }, body, idField }: SubscriptionRequest,
): Promise<string> {
	const nowhere = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger there by hand`;
	const request: ApiRequest = {
		method: 'POST',
		path: endpoint,
		repeat: 'ifRefused',
		body,
		notFound: { message: nowhere, description: nowhere },
	};
	const cleanUp = `remove every subscription for ${address} there`;
	const unsure = `It may have made the subscription: ${cleanUp}, and publish again.`;

	const answer = await client.send(request, readAnswer).catch((failure: unknown) => {
		throw leavesNothing(failure) ? failure : activationProblem(failure, unsure);
	});
	const id = answer[idField] ?? asObject(answer.data)[idField];
	if (isId(id)) return String(id);
	const nameless = `The service made a subscription, and its answer has no usable "${idField}": ${cleanUp}, enter the right name as "ID Field" in "Registration Details", and publish again.`;
	throw new Problem(nameless, nameless);
}

function readAnswer({ text }: ApiResponse): IDataObject | undefined {
	const answer = parseJson(text);
	return isObject(answer) ? answer : undefined;
}

/** Whether a failure leaves no subscription at the service. With the status 409, services say that there is one. */
function leavesNothing(failure: unknown): boolean {
	if (!(failure instanceof RequestFailure)) return true;
	return failure.outcome !== 'unknown' && failure.status !== 409;
}

/**
 * Takes the stored subscription away at the service, where it may be gone already. That of another account is left to the
 * user: the ID may belong to somebody else in this one, and the key of that one is not known any more.
 */
async function removeStored(context: IHookFunctions, client: Client): Promise<void> {
	const stored = storedOf(context);
	if (!stored) return;
	const { id, account, address, endpoint } = stored;
	if (account !== accountKeyOf(context, client.account)) {
		leaveStored(context);
		return;
	}
	const removal: ApiRequest = {
		method: 'DELETE',
		path: endpoint + path`/${id}`,
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	// A login page may answer in place of the service, also with 404.
	const readRemoval = ({ text }: ApiResponse) => (isMarkup(text) ? undefined : true);
	await client.send(removal, readRemoval).catch((failure: unknown) => {
		const advice = `The subscription "${id}" for ${address} was not removed. When the service works again, unpublish and publish the workflow. Or remove it at the service, publish once with "Registration" set to "Manual", and set it back.`;
		throw activationProblem(failure, advice);
	});
	delete staticDataOf(context).subscription;
}

/** Forgets the stored subscription, and says in n8n's log where it may still be. */
function leaveStored(context: IHookFunctions): void {
	const stored = storedOf(context);
	if (!stored) return;
	const [baseUrl] = stored.account.split(' ');
	const words = `The subscription "${stored.id}" for ${stored.address} may still be at ${baseUrl}: remove it there by hand`;
	context.logger.warn(words, logContext(context));
	delete staticDataOf(context).subscription;
}

/** The subscription that this trigger has made, maybe for an earlier address of n8n. */
function storedOf(context: IHookFunctions): Subscription | undefined {
	const { subscription } = staticDataOf(context);
	return subscription?.workflowId === context.getWorkflow().id ? subscription : undefined;
}

function staticDataOf(context: IHookFunctions): { subscription?: Subscription } {
	return context.getWorkflowStaticData('node');
}

function addressOf(context: IHookFunctions): string {
	const address = context.getNodeWebhookUrl('default');
	if (address) return address;
	throw new Problem(
		'n8n does not know the address of this trigger',
		'Ask whoever runs n8n to set WEBHOOK_URL.',
	);
}
