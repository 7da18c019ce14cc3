import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isObject } from '../api/json';
import { take } from '../memory/deliveries';
import { SubscriptionMemory } from '../memory/subscriptions';
import { MULTIPART, toEvent } from './event';
import { reasonToSkip } from './filters';
import { PanelValues } from './panelValues';
import { readPath } from './path';
import { readSettings, type Settings } from './settings';
import { refusal, type Verification } from './verification';
import { toCall } from './verification/call';
import { webhookSecrets } from './verification/secret';

/**
 * Handles one call: verifies it, and passes its event on to the workflow if it is wanted and new. What is
 * refused or skipped leaves no execution behind.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const admission = await admit(context);
	if ('refusal' in admission) {
		log(context, 'warn', `A call was refused: ${admission.refusal}`);
		return answer(context, 401, 'Unauthorized');
	}
	const { filters, options, verification } = admission;

	const failure = await readBody(context);
	if (failure !== undefined) return answer(context, failure, 'The body cannot be read');
	const event = toEvent(context.getRequestObject());
	const handled: IWebhookResponseData = { webhookResponse: options.responseBody };

	const skipped = reasonToSkip(event, filters);
	if (skipped !== undefined) {
		log(context, 'info', `An event does not start the workflow: ${skipped}`);
		return handled;
	}
	const { deliveryField } = options;
	if (deliveryField !== undefined && !(await isNew(context, readPath(event, deliveryField)))) {
		log(context, 'info', 'An event does not start the workflow: it was delivered before');
		return handled;
	}
	const json = options.fullRequest ? describeRequest(context, event, verification) : event;
	return { ...handled, workflowData: [[{ json }]] };
}

/** Lets a call in and gives the settings to handle it by, or says why not. */
async function admit(context: IWebhookFunctions): Promise<Settings | { refusal: string }> {
	try {
		const settings = readSettings(PanelValues.of(context));
		const reason = await reasonToRefuse(context, settings);
		return reason === undefined ? settings : { refusal: reason };
	} catch (error) {
		// Whatever keeps a call from being verified must not let it in, nor fill the list of executions.
		return { refusal: error instanceof Error ? error.message : String(error) };
	}
}

async function reasonToRefuse(
	context: IWebhookFunctions,
	{ options: { allowedAddresses }, verification }: Settings,
): Promise<string | undefined> {
	const request = context.getRequestObject();
	const { ip = '' } = request;
	if (allowedAddresses && !allowedAddresses.has(ip))
		return `the address ${ip} is not allowed to call`;
	if (!verification) return undefined;
	// Strangers without a signature should cost as little as possible.
	if (verification.needsBody) await readBody(context);
	const now = Date.now();
	const call = toCall(context);
	const secrets = webhookSecrets(context, now);
	const recent = await secrets.recent();
	const reason = refusal(verification, call, recent, now);
	if (reason === undefined) return undefined;
	const latest = await secrets.latest();
	const isSame = latest.join('\n') === recent.join('\n');
	return isSame ? reason : refusal(verification, call, latest, now);
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

/** The request without the secret that it was verified with. */
function describeRequest(
	context: IWebhookFunctions,
	body: IDataObject,
	verification: Verification | undefined,
): IDataObject {
	const { headers, query } = context.getRequestObject();
	const without = (part: 'headers' | 'query', entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(([name]) => !verification?.isSecret?.(part, name)),
		);
	return { headers: without('headers', headers), query: without('query', query), body };
}

function log(context: IWebhookFunctions, level: 'info' | 'warn', message: string): void {
	context.logger[level](message, {
		node: context.getNode().name,
		workflowId: context.getWorkflow().id,
	});
}
