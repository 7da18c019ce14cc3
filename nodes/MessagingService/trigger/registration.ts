import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { readAccount, readWebhookSecret, readWebhookSecrets } from '../api/account';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { asObject, isId, isObject, parseJson } from '../api/json';
import { type ApiRequest, type ApiResponse, RequestFailure } from '../api/request';
import { path } from '../api/url';
import { connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { logContext } from '../n8n/logContext';
import { Problem } from '../n8n/problem';
import { PanelValues } from '../panel/parameters';
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
	/** The workflow and the service that it belongs to: a copy of a workflow has its static data, too. */
	owner: string;
}

/**
 * Whether n8n has started again, and the trigger still has its subscription. Whenever somebody publishes the workflow,
 * it gets a new one.
 */
export async function isSubscribed(context: IHookFunctions): Promise<boolean> {
	if (!['init', 'leadershipChange'].includes(context.getActivationMode())) return false;
	return await withNodeErrors(context.getNode(), async () => {
		const { subscription } = staticDataOf(context);
		const isOurs = subscription?.owner === (await ownerOf(context));
		return isOurs && subscription.address === addressOf(context);
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
	await withNodeErrors(context.getNode(), async () => {
		const values = PanelValues.ofTrigger(context);
		const { verification, filters } = readSettings(values);
		const registration = readRegistration(values);
		const credential = await context.getCredentials(CREDENTIALS_TYPE);
		if (verification) checkSecrets(verification, readWebhookSecrets(credential));

		const stored = staticDataOf(context);
		if (registration) {
			if (verification?.hasSecretInQuery) throw new Problem(...IN_QUERY);
			await removeStored(context);
			const secret = readWebhookSecret(credential);
			stored.subscription = await create(context, registration, filters.events, secret);
		} else {
			delete stored.subscription;
		}
	});
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
	const nowhere = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual" and enter the address of this trigger there by hand`;
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
		notFound: { message: nowhere, description: nowhere },
	};
	const client = await connectBriefly(context);
	const answer = await client.send(request, readAnswer).catch((failure: unknown) => {
		// With the status 409, services say that there is one already.
		const mayExist =
			failure instanceof RequestFailure &&
			(failure.outcome === 'unknown' || failure.status === 409);
		const advice = `It may have made the subscription: ${cleanUp}, and publish again.`;
		throw mayExist ? activationProblem(failure, advice) : failure;
	});
	const id = answer[idField] ?? asObject(answer.data)[idField];
	if (isId(id)) return { id: String(id), endpoint, address, owner: await ownerOf(context) };
	const nameless = `The service made a subscription, and its answer has no usable "${idField}": ${cleanUp}, enter the right name as "ID Field" in "Registration Details", and publish again.`;
	throw new Problem(nameless, nameless);
}

function readAnswer({ text }: ApiResponse): IDataObject | undefined {
	const answer = parseJson(text);
	return isObject(answer) ? answer : undefined;
}

/** Takes the stored subscription away at the service, and forgets it. */
async function removeStored(context: IHookFunctions): Promise<void> {
	const stored = staticDataOf(context);
	if (!stored.subscription) return;
	const { id, address } = stored.subscription;
	await removeAtService(context, stored.subscription).catch((failure: unknown) => {
		const advice = `The subscription "${id}" for ${address} was not removed: remove it at the service, and publish again.`;
		throw activationProblem(failure, advice);
	});
	delete stored.subscription;
}

/** Takes a subscription away, where it may be gone already. That of a copy, or of another service, is left alone. */
async function removeAtService(
	context: IHookFunctions,
	{ id, endpoint, owner }: Subscription,
): Promise<void> {
	if (owner !== (await ownerOf(context))) return;
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

async function ownerOf(context: IHookFunctions): Promise<string> {
	const { baseUrl } = readAccount(await context.getCredentials(CREDENTIALS_TYPE));
	return `${context.getWorkflow().id} ${baseUrl.href}`;
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
