import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { isObject, textOf } from '../api/json';
import { Redactor } from '../api/secrets';
import { type NewDelivery, take } from '../memory/deliveries';
import { SubscriptionMemory } from '../memory/subscriptions';
import { Problem, toNodeError } from '../nodeError';
import { answerChallenge } from './addressCheck';
import { deliveryOf, type Duplicates } from './duplicates';
import { MULTIPART, toEvent } from './event';
import { reasonToSkip, type Why } from './filters/skip';
import { log } from './log';
import { type Options, reasonOfAddress } from './options';
import { PanelValues } from './panelValues';
import { readSettings, type Settings } from './settings';
import { refusal, type Verification } from './verification';
import { toCall } from './verification/call';
import { secretsOf } from './verification/secrets';

/**
 * Handles one call: verifies it, and passes its event on to the workflow if it is wanted and new. What is
 * refused or skipped leaves no execution behind, except while the trigger is tried out: then it shows why.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const admission = await admit(context);
	if ('reason' in admission) return await refuse(context, admission, 401, 'Unauthorized');
	const { addressCheck, filters, duplicates, options, verification } = admission;

	const failure = await readBody(context);
	if (failure !== undefined) {
		const unreadable = { reason: 'its body cannot be read', advice: UNREADABLE };
		return await refuse(context, unreadable, failure, 'The body cannot be read');
	}
	const event = toEvent(context.getRequestObject());
	const checked = answerChallenge(context, addressCheck, event);
	if (checked) return checked;
	const skip = reasonToSkip(event, filters);
	if (skip) return await leaveOut(context, options, skip);
	const delivery = duplicates ? await takeDelivery(context, event, duplicates) : UNKNOWN_DELIVERY;
	if (!delivery) return await leaveOut(context, options, DUPLICATE);

	const json = options.fullRequest ? await describeRequest(context, event, verification) : event;
	return {
		workflowData: [[{ json }]],
		get webhookResponse() {
			delivery.remember();
			return options.responseBody;
		},
	};
}

const UNREADABLE =
	'It is too large, or not what its headers "Content-Type" and "Content-Encoding" say. Look at what your service sends.';

const COMPARE =
	'Compare what your service sends with what is set under "Verification" and in "Allowed Addresses". In production, such a call gets status 401 without a reason, and nothing starts.';

const DUPLICATE: Why = { reason: 'it was delivered before', advice: '' };

/** One that nothing tells from others. */
const UNKNOWN_DELIVERY: NewDelivery = { remember() {} };

/** Lets a call in and gives the settings to handle it by, or says why not. */
async function admit(context: IWebhookFunctions): Promise<Settings | Why> {
	try {
		const settings = readSettings(PanelValues.of(context));
		const reason = await reasonToRefuse(context, settings);
		return reason === undefined ? settings : { reason, advice: COMPARE };
	} catch (error) {
		// Whatever keeps a call from being verified must not let it in, nor fill the list of executions.
		const reason = error instanceof Error ? error.message : String(error);
		return { reason, advice: error instanceof Problem ? error.description : COMPARE };
	}
}

async function reasonToRefuse(
	context: IWebhookFunctions,
	{ options, verification }: Settings,
): Promise<string | undefined> {
	const secrets = secretsOf(context);
	const address = reasonOfAddress(options, context.getRequestObject());
	if (address !== undefined) return address;
	if (!verification) return undefined;
	// Only signatures need the body.
	if (verification.needsBody) await readBody(context);
	const now = Date.now();
	const call = toCall(context);
	const { webhook: recent } = await secrets.recent();
	const reason = refusal(verification, call, recent, now);
	if (reason === undefined) return undefined;
	const { webhook: latest } = await secrets.latest();
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

/** Takes a delivery; undefined when it was taken before. */
async function takeDelivery(
	context: IWebhookFunctions,
	event: IDataObject,
	duplicates: Duplicates,
): Promise<NewDelivery | undefined> {
	// While somebody tries the trigger out, the same event may come as often as they like.
	if (isTest(context)) return UNKNOWN_DELIVERY;
	const ids = deliveryOf(context.getRequestObject(), event, duplicates, Date.now());
	if (!ids) return UNKNOWN_DELIVERY;
	const address = context.getNodeWebhookUrl('default');
	if (address) new SubscriptionMemory(context).keep(address);
	return await take(context, ids);
}

// n8n answers an error with status 500 and records a failed execution, so the answer is given here.
async function refuse(
	context: IWebhookFunctions,
	{ reason, advice }: Why,
	status: number,
	message: string,
): Promise<IWebhookResponseData> {
	const redactor = await redactorOf(context);
	log(context, 'warn', redactor.hide(`A call was refused: ${reason}`));
	context.getResponseObject().status(status).json({ message });
	if (isTest(context)) throw shown(context, `The call was refused: ${reason}`, advice, redactor);
	return { noWebhookResponse: true };
}

/** Accepts an event that does not start the workflow. */
async function leaveOut(
	context: IWebhookFunctions,
	{ responseCode, responseBody }: Options,
	{ reason, advice }: Why,
): Promise<IWebhookResponseData> {
	const redactor = await redactorOf(context);
	const words = `An event does not start the workflow: ${reason}`;
	log(context, 'info', redactor.hide(words));
	if (isTest(context)) {
		const response = context.getResponseObject().status(responseCode);
		if (typeof responseBody === 'string') response.send(responseBody);
		else response.json(responseBody ?? { message: 'Webhook call received' });
		throw shown(context, `The event does not start the workflow: ${reason}`, advice, redactor);
	}
	return { webhookResponse: responseBody };
}

function isTest(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

/**
 * What tells whoever tries the trigger out why nothing came of a call, when that is answered already. n8n makes a
 * failed execution of an error that is thrown then, shows it at the node, and runs no other one.
 */
function shown(
	context: IWebhookFunctions,
	message: string,
	advice: string,
	redactor: Redactor,
): Error {
	const response = context.getResponseObject();
	// n8n answers an error, too, and would break the connection because the call is answered.
	response.json = () => response;
	const description = `${advice} To wait for the next call, select "Execute step" again.`;
	return toNodeError(context.getNode(), new Problem(message, description), { redactor });
}

async function redactorOf(context: IWebhookFunctions): Promise<Redactor> {
	try {
		return (await secretsOf(context).recent()).redactor;
	} catch {
		// Without a credential, there is nothing to hide.
		return new Redactor([]);
	}
}

/**
 * The request without what it was verified with, and without all other headers and query parameters that carry a
 * secret of the credential: proxies copy the address into some.
 */
async function describeRequest(
	context: IWebhookFunctions,
	body: IDataObject,
	verification: Verification | undefined,
): Promise<IDataObject> {
	const { headers, query } = context.getRequestObject();
	const redactor = await redactorOf(context);
	const without = (part: 'headers' | 'query', entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(
				([name, value]) =>
					!verification?.isSecret?.(part, name) && !redactor.isIn(`${name} ${textOf(value)}`),
			),
		);
	return { headers: without('headers', headers), query: without('query', query), body };
}
