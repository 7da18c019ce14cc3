import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { readAccount, readWebhookSecret, readWebhookSecrets } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { asObject, isId, isObject, parseJson } from '../api/json';
import { type ApiRequest, type ApiResponse, RequestFailure } from '../api/request';
import { path } from '../api/url';
import { accountKeyOf, connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { logContext } from '../n8n/logContext';
import { Problem } from '../n8n/problem';
import { isMarkup } from '../n8n/serviceWords';
import { PanelValues } from '../panel/parameters';
import { readRegistration, type Registration } from './registrationFields';
import { readSettings } from './settings';
import { checkSecrets } from './verification';

/** What the service is asked for. */
interface Subscription {
	/** A copy of a workflow has its static data, too: each takes away what it has made itself. */
	workflowId: string;
	/** The account that it is made in, and where, below the base URL. */
	account: string;
	endpoint: string;
	/** The address of the trigger. Production and tests have other addresses. */
	address: string;
	events: string[];
}

/** A subscription that this trigger has made, as its static data keep it. */
interface StoredSubscription {
	id: string;
	wanted: Subscription;
}

/**
 * Whether the trigger has the subscription that it needs, when n8n starts again. Whenever somebody publishes the
 * workflow, it gets a new one.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	if (!['init', 'leadershipChange'].includes(context.getActivationMode())) return false;
	return await withNodeErrors(context.getNode(), async () => {
		const request = await checkSettings(context);
		const stored = storedOf(context);
		return (
			stored !== undefined && JSON.stringify(stored.wanted) === JSON.stringify(request?.wanted)
		);
	});
}

/**
 * Subscribes this trigger at the service, and takes its earlier subscription away. With manual registration, it only
 * checks the settings, and forgets a subscription that could not be taken away.
 *
 * @throws {NodeApiError | NodeOperationError} when calls could not be verified, something is not filled in, or it is
 * not certain that the service has this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	await withNodeErrors(context.getNode(), async () => {
		const request = await checkSettings(context);
		if (request) {
			await removeStored(context);
			const id = await create(await connectBriefly(context), request);
			staticDataOf(context).subscription = { id, wanted: request.wanted };
		} else {
			delete staticDataOf(context).subscription;
		}
	});
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * takes it away: n8n would not store what an error leaves behind.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	const remove = async () => await removeStored(context);
	await withNodeErrors(context.getNode(), remove).catch(({ message }: Error) => {
		context.logger.warn(message, logContext(context));
	});
}

/**
 * Stops the activation when calls could not be verified, filtered or answered as the panel says.
 *
 * @returns the subscription to ask for, and how; undefined for manual registration.
 */
async function checkSettings(context: IHookFunctions) {
	const values = PanelValues.ofTrigger(context);
	const { verification, filters } = readSettings(values);
	const registration = readRegistration(values);
	const credential = await context.getCredentials(CREDENTIALS_TYPE);
	if (verification) checkSecrets(verification, readWebhookSecrets(credential));
	if (!registration) return undefined;
	if (verification?.hasSecretInQuery) {
		throw new Problem(
			'With automatic registration, the secret cannot be in the query: the service is told the address without it',
			'Set "Secret Location" to "Header", or "Registration" to "Manual".',
		);
	}
	const wanted: Subscription = {
		workflowId: String(context.getWorkflow().id),
		account: accountKeyOf(context, readAccount(credential)),
		endpoint: registration.endpoint,
		address: addressOf(context),
		events: filters.events,
	};
	return { wanted, registration, secret: readWebhookSecret(credential) };
}

/** Milliseconds for each request of an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 8_000;

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = await connect(context);
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

/** Makes a subscription, with one request, and returns its ID. */
async function create(
	client: Client,
	{
		wanted: { address, endpoint, events },
		registration: { urlField, eventsField, secretField, idField },
		secret,
	}: { wanted: Subscription; registration: Registration; secret: string },
): Promise<string> {
	const nowhere = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger there by hand`;
	const request: ApiRequest = {
		method: 'POST',
		path: endpoint,
		repeat: 'ifRefused',
		body: {
			[urlField]: address,
			...(events.length > 0 && { [eventsField]: events }),
			...(secretField && secret && { [secretField]: secret }),
		},
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

/** Takes the stored subscription away at the service, and forgets it. */
async function removeStored(context: IHookFunctions): Promise<void> {
	const stored = storedOf(context);
	if (!stored) return;
	await removeAtService(context, stored).catch((failure: unknown) => {
		const { id, wanted } = stored;
		const advice = `The subscription "${id}" for ${wanted.address} was not removed: remove it at the service, and publish again.`;
		throw activationProblem(failure, advice);
	});
	delete staticDataOf(context).subscription;
}

/**
 * Takes a subscription away at the service, where it may be gone already. That of another account is left to the user, in
 * n8n's log: the ID may belong to somebody else in this one.
 */
async function removeAtService(
	context: IHookFunctions,
	{ id, wanted: { account, address, endpoint } }: StoredSubscription,
): Promise<void> {
	const client = await connectBriefly(context);
	if (account !== accountKeyOf(context, client.account)) {
		const words = `The subscription "${id}" for ${address} may still be in the account that the credential had before: remove it there`;
		context.logger.warn(words, logContext(context));
		return;
	}
	const removal: ApiRequest = {
		method: 'DELETE',
		path: endpoint + path`/${id}`,
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	// A login page may answer in place of the service, also with 404.
	await client.send(removal, ({ text }) => (isMarkup(text) ? undefined : true));
}

/** The subscription that this trigger has made, maybe for an earlier address of n8n. */
function storedOf(context: IHookFunctions): StoredSubscription | undefined {
	const { subscription } = staticDataOf(context);
	return subscription?.wanted.workflowId === context.getWorkflow().id ? subscription : undefined;
}

function staticDataOf(context: IHookFunctions): { subscription?: StoredSubscription } {
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
