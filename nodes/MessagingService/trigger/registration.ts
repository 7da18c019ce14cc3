import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../api/client';
import { isId, isObject, parseJson, readPath } from '../api/json';
import { type ApiRequest, type ApiResponse, RequestFailure } from '../api/request';
import { Redactor } from '../api/secrets';
import { path } from '../api/url';
import { connect, CREDENTIALS_TYPE } from '../n8n/connection';
import { activationProblem, logContext, toNodeError } from '../n8n/errors';
import { Problem } from '../words/problem';
import { openCredential, readWebhookSecrets, redactorOf } from '../panel/credential';
import { PanelValues } from '../panel/values';
import { readRegistration, type Registration } from './registrationFields';
import { readSettings } from './settings';
import { checkSecrets } from './verification';

/** A subscription that a trigger has made, as n8n keeps it with the workflow. */
interface Subscription {
	/** Where it is at the service. */
	url: string;
	/** A copy of a workflow has what n8n keeps with it, too. */
	workflowId: string;
}

/**
 * Checks that calls can be verified, filtered and answered as the panel says. With automatic registration, it takes the
 * earlier subscription of this trigger away and makes a new one; with manual, it forgets the earlier one.
 *
 * @throws {NodeApiError | NodeOperationError} when something is not filled in, or it is not certain that the service has
 * this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	let redactor = new Redactor([]);
	try {
		const credential = await context.getCredentials(CREDENTIALS_TYPE);
		redactor = redactorOf(credential);
		const values = PanelValues.ofTrigger(context);
		const { verification, filters } = readSettings(values);
		const secrets = readWebhookSecrets(credential);
		if (verification) checkSecrets(verification, secrets);
		const registration = readRegistration(values);
		if (!registration) {
			delete staticDataOf(context).subscription;
			return;
		}
		if (verification?.hasSecretInQuery) {
			throw new Problem(
				'With automatic registration, the secret cannot be in the query',
				'Set "Secret Location" to "Header", or "Registration" to "Manual".',
			);
		}
		await removeStored(context);
		const subscription = await create(context, registration, filters.events, secrets.at(0));
		staticDataOf(context).subscription = subscription;
	} catch (failure) {
		throw toNodeError(context.getNode(), failure, { redactor });
	}
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * takes it away: n8n 1 would go on calling a trigger whose hook has thrown.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	await removeStored(context).catch(async (failure: unknown) => {
		const credential = await context.getCredentials(CREDENTIALS_TYPE).catch(() => ({}));
		const redactor = redactorOf(credential);
		const { message } = toNodeError(context.getNode(), failure, { redactor });
		context.logger.warn(message, logContext(context));
	});
}

/** Makes a subscription, with one request. */
async function create(
	context: IHookFunctions,
	{ endpoint, urlField, eventsField, secretField, idField }: Registration,
	events: readonly string[],
	secret: string | undefined,
): Promise<Subscription> {
	// There is one for each webhook of the node's description.
	const address = String(context.getNodeWebhookUrl('default'));
	const noEndpoint = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual"`;
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
	const answer = await client.send(request, readAnswer).catch((failure: unknown) => {
		// With the status 409, services say that there is one already.
		const mayExist =
			failure instanceof RequestFailure &&
			(failure.outcome === 'unknown' || failure.status === 409);
		const advice = `It may have made the subscription: ${cleanUp}, and publish again.`;
		throw mayExist ? activationProblem(failure, advice) : failure;
	});
	const id = readPath(answer, idField) ?? readPath(answer.data, idField);
	if (!isId(id)) {
		const noId = `The service made a subscription, and its answer has no usable "${idField}": ${cleanUp}, enter the right name as "ID Field" in "Registration Details", and publish again.`;
		throw new Problem(noId, noId);
	}
	const url = client.account.baseUrl.href + endpoint + path`/${String(id)}`;
	return { url, workflowId: String(context.getWorkflow().id) };
}

function readAnswer({ text }: ApiResponse): IDataObject | undefined {
	const answer = parseJson(text);
	return isObject(answer) ? answer : undefined;
}

/** Takes the stored subscription away at the service, and forgets it. */
async function removeStored(context: IHookFunctions): Promise<void> {
	const stored = staticDataOf(context);
	const { url, workflowId } = stored.subscription ?? {};
	if (url !== undefined && workflowId === context.getWorkflow().id) {
		await removeAtService(context, url).catch((failure: unknown) => {
			const advice = `The subscription ${url} was not removed: remove it at the service.`;
			throw activationProblem(failure, advice);
		});
	}
	delete stored.subscription;
}

/** Takes a subscription away. It may be gone already; one at another service is left to the user, in n8n's log. */
async function removeAtService(context: IHookFunctions, url: string): Promise<void> {
	const client = await connectBriefly(context);
	const { baseUrl, redactor } = client.account;
	const service = baseUrl.href;
	if (!url.startsWith(`${service}/`)) {
		const words = `The subscription ${url} is still there: the base URL has changed`;
		context.logger.warn(redactor.hide(words), logContext(context));
		return;
	}
	const removal: ApiRequest = {
		method: 'DELETE',
		path: url.slice(service.length),
		repeat: 'idempotent',
		accepts: [404, 410],
	};
	await client.send(removal, () => true);
}

/**
 * Milliseconds for each request of an activation. n8n 2 tries five times, with two requests each, and gives up after 84
 * seconds in all.
 */
const MAX_TIME = 5_000;

/** A client with a short deadline, since n8n waits for the hook. */
async function connectBriefly(context: IHookFunctions): Promise<Client> {
	const client = connect(context, await openCredential(context));
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

function staticDataOf(context: IHookFunctions): { subscription?: Subscription } {
	return context.getWorkflowStaticData('node');
}
