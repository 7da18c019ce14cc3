import type { ICredentialDataDecryptedObject, IDataObject, IHookFunctions } from 'n8n-workflow';
import { readAccount, readAllSecrets, readWebhookSecret, readWebhookSecrets } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { isId, isObject, parseJson } from '../api/json';
import { type ApiRequest, type ApiResponse, RequestFailure } from '../api/request';
import { Redactor } from '../api/secrets';
import { path } from '../api/url';
import { connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { logContext } from '../n8n/logContext';
import { Problem } from '../n8n/problem';
import { PanelValues } from '../panel/parameters';
import { readPath } from './events';
import { readRegistration, type Registration } from './registrationFields';
import { readSettings } from './settings';
import { checkSecrets } from './verification';

/** A subscription that a trigger has made at the service, as its static data keep it. */
interface Subscription {
	id: string;
	/** Where the service takes subscriptions, below the base URL. */
	endpoint: string;
	/** The address that gets the events. */
	address: string;
	/** The base URL of the service. */
	service: string;
	/** A copy of a workflow has its static data, too. */
	workflowId: string;
}

/**
 * Whether n8n has started again, and the trigger still has its subscription. Whenever somebody publishes the workflow,
 * it gets a new one.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	if (!['init', 'leadershipChange'].includes(context.getActivationMode())) return false;
	return await withNodeErrors(context.getNode(), async () => {
		const stored = storedOf(context);
		const service = await serviceOf(context);
		return stored?.service === service && stored.address === addressOf(context);
	});
}

/**
 * Checks that calls can be verified, filtered and answered as the panel says. With automatic registration, it takes the
 * earlier subscription of this trigger away and makes a new one; with manual, it forgets the earlier one.
 *
 * @throws {NodeApiError | NodeOperationError} when something is not filled in, or it is not certain that the service has
 * this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	const node = context.getNode();
	await withNodeErrors(node, async () => {
		const credential = await context.getCredentials(CREDENTIALS_TYPE);
		const redactor = new Redactor(readAllSecrets(credential));
		await withNodeErrors(node, async () => await checkAndSubscribe(context, credential), {
			redactor,
		});
	});
}

async function checkAndSubscribe(
	context: IHookFunctions,
	credential: ICredentialDataDecryptedObject,
): Promise<void> {
	const values = PanelValues.ofTrigger(context);
	const { verification, filters } = readSettings(values);
	const registration = readRegistration(values);
	if (verification) checkSecrets(verification, readWebhookSecrets(credential));
	if (registration) {
		if (verification?.hasSecretInQuery) throw new Problem(...IN_QUERY);
		await removeStored(context);
		const secret = readWebhookSecret(credential);
		const subscription = await create(context, registration, filters.events, secret);
		staticDataOf(context).subscription = subscription;
	} else {
		delete staticDataOf(context).subscription;
	}
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * takes it away: n8n would go on calling a trigger whose hook has thrown.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	const remove = async () => await removeStored(context);
	await withNodeErrors(context.getNode(), remove).catch(({ message }: Error) => {
		context.logger.warn(message, logContext(context));
	});
}

const IN_QUERY = [
	'With automatic registration, the secret cannot be in the query: the service is told the address without it',
	'Set "Secret Location" to "Header", or "Registration" to "Manual".',
] as const;

/** Makes a subscription, with one request. */
async function create(
	context: IHookFunctions,
	{ endpoint, urlField, eventsField, secretField, idField }: Registration,
	events: readonly string[],
	secret: string,
): Promise<Subscription> {
	const address = addressOf(context);
	const noEndpoint = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger there by hand`;
	const cleanUp = `remove every subscription for ${address} there`;

	const request: ApiRequest = {
		method: 'POST',
		path: endpoint,
		repeat: 'ifRefused',
		body: {
			[urlField]: address,
			...(events.length > 0 && { [eventsField]: events }),
			...(secretField && secret && { [secretField]: secret }),
		},
		notFound: { message: noEndpoint, description: noEndpoint },
	};
	const client = await connectBriefly(context);
	const service = client.account.baseUrl.href;
	const workflowId = String(context.getWorkflow().id);
	const answer = await client.send(request, readAnswer).catch((failure: unknown) => {
		// With the status 409, services say that there is one already.
		const mayExist =
			failure instanceof RequestFailure &&
			(failure.outcome === 'unknown' || failure.status === 409);
		const advice = `It may have made the subscription: ${cleanUp}, and publish again.`;
		throw mayExist ? activationProblem(failure, advice) : failure;
	});
	const id = readPath(answer, idField) ?? readPath(answer.data, idField);
	if (isId(id)) return { id: String(id), endpoint, address, service, workflowId };
	const noId = `The service made a subscription, and its answer has no usable "${idField}": ${cleanUp}, enter the right name as "ID Field" in "Registration Details", and publish again.`;
	throw new Problem(noId, noId);
}

function readAnswer({ text }: ApiResponse): IDataObject | undefined {
	const answer = parseJson(text);
	return isObject(answer) ? answer : undefined;
}

/** Takes the stored subscription away at the service, and forgets it. */
async function removeStored(context: IHookFunctions): Promise<void> {
	const stored = storedOf(context);
	if (!stored) return;
	await removeAtService(context, stored).catch((failure: unknown) => {
		const advice = `The subscription "${stored.id}" for ${stored.address} was not removed: remove it at the service, and publish again.`;
		throw activationProblem(failure, advice);
	});
	delete staticDataOf(context).subscription;
}

/** Takes a subscription away, where it may be gone already. That of another service is left to the user, in n8n's log. */
async function removeAtService(context: IHookFunctions, stored: Subscription): Promise<void> {
	const { id, endpoint, address, service } = stored;
	if (service !== (await serviceOf(context))) {
		const words = `The subscription "${id}" for ${address} may still be at ${service}: remove it there`;
		context.logger.warn(words, logContext(context));
		return;
	}
	const client = await connectBriefly(context);
	const removal: ApiRequest = {
		method: 'DELETE',
		path: endpoint + path`/${id}`,
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	await client.send(removal, () => true);
}

/** Milliseconds for each request of an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 8_000;

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = await connect(context);
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

async function serviceOf(context: IHookFunctions): Promise<string> {
	return readAccount(await context.getCredentials(CREDENTIALS_TYPE)).baseUrl.href;
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
