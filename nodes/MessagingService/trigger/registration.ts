import type { ICredentialDataDecryptedObject, IDataObject, IHookFunctions } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { asObject, isId, isObject, parseJson } from '../api/json';
import { type ApiResponse, RequestFailure } from '../api/request';
import { isLoopback, path } from '../api/url';
import { connect } from '../n8n/connection';
import { activationProblem, logContext } from '../n8n/errors';
import { readAccount, readWebhookSecrets, withRedactor } from '../panel/credential';
import { PanelValues } from '../panel/values';
import { Problem } from '../words/problem';
import { readRegistration } from './registrationFields';
import { readSettings } from './settings';
import { createVerifier } from './verification';

/** A subscription that a trigger has made, as n8n keeps it with the workflow. */
interface Subscription {
	/** Where it is at the service. */
	url: string;
	/** A copy of a workflow has what n8n keeps with it, too. */
	workflowId: string;
}

/**
 * Checks that calls can be verified and filtered as the panel says. With automatic registration, it takes the earlier
 * subscription of this trigger away and makes a new one; with manual, it forgets the earlier one.
 *
 * @throws {NodeApiError | NodeOperationError} when something is not filled in, or it is not certain that the service has
 * this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	await withRedactor(context, async (credential) => {
		const values = PanelValues.ofTrigger(context);
		const { verification, filters } = readSettings(values);
		const secrets = readWebhookSecrets(credential);
		if (verification) createVerifier(verification, secrets);
		const registration = readRegistration(values);
		const stored = storedBy(context);
		if (!registration) {
			delete stored.subscription;
			return;
		}
		if (verification?.hasSecretInQuery) {
			throw new Problem(
				'With automatic registration, the secret cannot be in the query',
				'Set "Secret Location" to "Header", or "Registration" to "Manual".',
			);
		}
		const client = connectBriefly(context, credential);
		// There is one for each webhook of the node's description.
		const address = String(context.getNodeWebhookUrl('default'));
		if (isLoopback(address) && !isLoopback(client.account.baseUrl.href)) {
			const words = `The service cannot reach n8n at ${address}: set WEBHOOK_URL to the address of n8n from outside, and restart n8n`;
			throw new Problem(words, words);
		}
		await removeSubscription(context, client).catch((failure: unknown) => {
			throw activationProblem(failure, notRemoved(context));
		});
		const body = registration.bodyWith(address, filters.events, secrets.at(0));
		const url = await createSubscription(client, registration.endpoint, body, address);
		stored.subscription = { url, workflowId: String(context.getWorkflow().id) };
	});
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * takes it away: n8n 1 would go on calling a trigger whose hook has thrown.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	if (!storedBy(context).subscription) return;
	const removal = withRedactor(context, async (credential) => {
		await removeSubscription(context, connectBriefly(context, credential));
	});
	await removal.catch(({ message }: Error) => {
		context.logger.warn(`${message}. ${notRemoved(context)}`, logContext(context));
	});
}

/** Makes a subscription to an address, with one request, and gives where it is at the service. */
async function createSubscription(
	client: Client,
	endpoint: string,
	body: object,
	address: string,
): Promise<string> {
	const noEndpoint = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual"`;
	const notFound = { message: noEndpoint, description: noEndpoint };
	const cleanUp = `remove every subscription for ${address} there`;
	const answer = await client
		.within(MAX_TIME)
		.send({ method: 'POST', path: endpoint, repeat: 'ifRefused', body, notFound }, readAnswer)
		.catch((failure: unknown) => {
			// With the status 409, services say that there is one already.
			const mayExist =
				failure instanceof RequestFailure &&
				(failure.outcome === 'unknown' || failure.status === 409);
			const advice = `It may have made the subscription: ${cleanUp}, and publish again.`;
			throw mayExist ? activationProblem(failure, advice) : failure;
		});
	const id = answer.id ?? asObject(answer.data).id;
	const { baseUrl, redactor } = client.account;
	// n8n keeps it with the workflow, where no secret may be.
	if (!isId(id) || redactor.isIn(String(id))) {
		const noId = `The service made a subscription, and its answer has no usable "id": ${cleanUp}, and set "Registration" to "Manual"`;
		throw new Problem(noId, noId);
	}
	return baseUrl.href + endpoint + path`/${String(id)}`;
}

function readAnswer({ text }: ApiResponse): IDataObject | undefined {
	const answer = parseJson(text);
	return isObject(answer) ? answer : undefined;
}

/** Takes the stored subscription away at the service, where it may be gone already, and forgets it. */
async function removeSubscription(context: IHookFunctions, client: Client): Promise<void> {
	const stored = storedBy(context);
	const { url = '', workflowId } = stored.subscription ?? {};
	const service = client.account.baseUrl.href;
	if (workflowId === context.getWorkflow().id && url.startsWith(`${service}/`)) {
		const endpoint = url.slice(service.length);
		const accepts = [404, 410];
		await client
			.within(MAX_TIME)
			.send({ method: 'DELETE', path: endpoint, repeat: 'idempotent', accepts }, () => true);
	} else if (workflowId === context.getWorkflow().id) {
		const words = `The subscription ${url} is still there: the base URL has changed`;
		context.logger.warn(words, logContext(context));
	}
	delete stored.subscription;
}

function notRemoved(context: IHookFunctions): string {
	const { url } = storedBy(context).subscription ?? {};
	return `The subscription ${url} was not removed: remove it at the service.`;
}

/**
 * Milliseconds for each request of an activation. n8n 2 tries five times, with two requests each, and gives up after 84
 * seconds in all.
 */
const MAX_TIME = 5_000;

/** A client that makes only one more try, since n8n waits for the hook. */
function connectBriefly(context: IHookFunctions, data: ICredentialDataDecryptedObject): Client {
	const client = connect(context, { data, account: readAccount(data) });
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 });
}

function storedBy(context: IHookFunctions): { subscription?: Subscription } {
	return context.getWorkflowStaticData('node');
}
