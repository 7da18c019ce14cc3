import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isObject } from '../transport/json';
import { MULTIPART, toEvent } from './body';
import { take } from './deliveries';
import { reasonToSkip } from './filters';
import { readPath } from './path';
import { WebhookSecret } from './secret';
import {
	checkSignature,
	readAllowedAddresses,
	readFilters,
	readReception,
	readVerification,
} from './settings';
import { SubscriptionMemory } from './subscriptionMemory';
import { type Call, refusal, type Verification } from './verification';

/**
 * Handles one call: verifies it, and passes its event on to the workflow if it is wanted and new. What is
 * refused or skipped leaves no execution behind.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const request = context.getRequestObject();
	const reason = await reasonToRefuse(context);
	if (reason !== undefined) return refuse(context, reason);

	const failure = await readBody(context);
	if (failure !== undefined) return answer(context, failure, 'The body cannot be read');
	const event = toEvent(request);
	const { responseBody, fullRequest, deliveryField } = readReception(context);
	const handled: IWebhookResponseData = { webhookResponse: responseBody };

	const skipped = reasonToSkip(event, readFilters(context));
	if (skipped !== undefined) {
		log(context, 'info', `An event does not start the workflow: ${skipped}`);
		return handled;
	}
	if (deliveryField !== undefined && !(await isNew(context, readPath(event, deliveryField)))) {
		log(context, 'info', 'An event does not start the workflow: it was delivered before');
		return handled;
	}
	const json = fullRequest ? describeRequest(context, event) : event;
	return { ...handled, workflowData: [[{ json }]] };
}

async function reasonToRefuse(context: IWebhookFunctions): Promise<string | undefined> {
	try {
		const { ip = '' } = context.getRequestObject();
		const allowed = readAllowedAddresses(context);
		if (allowed && !allowed.has(ip)) return `the address ${ip} is not allowed to call`;
		return await reasonByVerification(context, readVerification(context));
	} catch (error) {
		// Whatever keeps a call from being verified must not let it in, nor fill the list of executions.
		return error instanceof Error ? error.message : String(error);
	}
}

async function reasonByVerification(
	context: IWebhookFunctions,
	verification: Verification,
): Promise<string | undefined> {
	if (verification.kind === 'none') return undefined;
	checkSignature(context, verification);
	const now = Date.now();
	const call = await readCall(context, verification);
	const secret = new WebhookSecret(context, now);
	const recent = await secret.recent();
	const reason = refusal(call, verification, recent, now);
	if (reason === undefined) return undefined;
	const latest = await secret.latest();
	return latest === recent ? reason : refusal(call, verification, latest, now);
}

async function readCall(context: IWebhookFunctions, { kind }: Verification): Promise<Call> {
	const request = context.getRequestObject();
	// Only a signature needs the body: strangers without one should cost as little as possible.
	if (kind === 'hmac') await readBody(context);
	return { headers: request.headers, query: request.query, rawBody: request.rawBody };
}

/** Reads the raw body, if n8n has not done so. Returns the status to answer with if that fails. */
async function readBody(context: IWebhookFunctions): Promise<number | undefined> {
	const request = context.getRequestObject();
	if (request.contentType === MULTIPART) return undefined;
	try {
		await request.readRawBody();
		return undefined;
	} catch (error) {
		const status: unknown = isObject(error)
			? (error.statusCode ?? error.httpStatusCode)
			: undefined;
		return typeof status === 'number' && status >= 400 && status < 500 ? status : 400;
	}
}

function refuse(context: IWebhookFunctions, reason: string): IWebhookResponseData {
	log(context, 'warn', `A call was refused: ${reason}`);
	return answer(context, 401, 'Unauthorized');
}

// n8n answers an error with status 500 and records a failed execution, so the answer is given here.
function answer(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

async function isNew(context: IWebhookFunctions, id: unknown): Promise<boolean> {
	// While somebody tries the trigger out, the same event may come as often as they like.
	if (context.getMode() === 'manual') return true;
	const isId = typeof id === 'string' || typeof id === 'number';
	if (!isId || id === '') return true;
	const address = context.getNodeWebhookUrl('default');
	if (address) new SubscriptionMemory(context).keep(address);
	return await take(context, String(id));
}

/** The request without what it was verified with. */
function describeRequest(context: IWebhookFunctions, body: IDataObject): IDataObject {
	const { headers, query } = context.getRequestObject();
	const verification = readVerification(context);
	const secret = verification.kind === 'sharedSecret' ? verification : undefined;
	return {
		headers:
			secret?.place === 'header' ? without(headers, secret.name.toLowerCase()) : { ...headers },
		query: secret?.place === 'query' ? without(query, secret.name) : { ...query },
		body,
	};
}

function without(entries: object, name: string): IDataObject {
	return Object.fromEntries(Object.entries(entries).filter(([each]) => each !== name));
}

function log(context: IWebhookFunctions, level: 'info' | 'warn', message: string): void {
	context.logger[level](message, {
		node: context.getNode().name,
		workflowId: context.getWorkflow().id,
	});
}
