import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import type { Redactor } from '../api/secrets';
import { toText } from '../api/text';
import { logContext } from '../n8n/errors';
import { readWebhookSecrets, withRedactor } from '../panel/credential';
import { PanelValues } from '../panel/values';
import { Problem } from '../words/problem';
import { identifierFor } from './deliveries';
import { MULTIPART, readEvents, type WebhookRequest } from './events';
import { reasonToSkip } from './filters';
import type { TriggerState } from './process';
import { readSettings, type Settings } from './settings';
import { createVerifier } from './verification';

const UNREADABLE =
	'the body cannot be read, since it is too large, not what "Content-Encoding" says, or cut off';
const COMPARE =
	'Compare "Verification" here and "Webhook Secret" in the credential with the service. ';
const ACCEPTED = 'In production, such an event is accepted, and nothing starts.';
const AGAIN = 'To wait for the next call, select "Execute step" again.';
/** How many of the reasons to skip events of one call are logged. */
const MAX_LOGGED = 10;

/**
 * Handles one call, from top to bottom: verifies it, reads its events, skips those that are filtered out or were
 * delivered before, and starts the workflow with the rest.
 *
 * A call that is not verified is answered with 401, and one whose body cannot be read with 400. Any failure in n8n,
 * such as a credential that cannot be read, is answered with 500, so that the service delivers again. None of these
 * creates an execution. All other calls are answered with 200 and without a body: some services text it to the contact.
 *
 * While somebody tests the trigger, why nothing starts is an error that n8n shows at the node.
 */
export async function receive(
	context: IWebhookFunctions,
	process: TriggerState,
): Promise<IWebhookResponseData> {
	const handling = withRedactor(
		context,
		async (credential, redactor) => {
			const settings = readSettings(PanelValues.ofTrigger(context));
			const { verification } = settings;
			const verify = verification && createVerifier(verification, readWebhookSecrets(credential));

			const request = context.getRequestObject();
			if (!(await hasBody(request))) return refuse(context, redactor, 400, UNREADABLE);
			const refusal = verify?.(request, Date.now());
			if (refusal !== undefined) return refuse(context, redactor, 401, refusal);

			const { events, reasons } = await selectEvents(context, request, settings, process);
			tellOfSkipped(context, redactor, reasons, events.length);
			const envelope = settings.fullRequest && envelopeOf(request, redactor);
			const items = events.map((body) => ({ json: envelope ? { ...envelope, body } : body }));
			return { workflowData: items.length > 0 ? [items] : undefined, webhookResponse: '' };
		},
		{ read: async () => await process.readCredential(context), addition: AGAIN },
	);
	return await handling.catch((error: Error) => {
		if (isTest(context)) throw error;
		return answer(context, 500, `A call could not be handled: ${error.message}`);
	});
}

function isTest(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

/** Reads the body, which n8n leaves to the node if it does not know the type. Gives whether it can be read. */
async function hasBody(request: WebhookRequest): Promise<boolean> {
	if (request.contentType === MULTIPART) return true;
	const reading = request.readRawBody().then(() => true);
	return await reading.catch(() => false);
}

/** Refuses a call. */
function refuse(
	context: IWebhookFunctions,
	redactor: Redactor,
	status: number,
	reason: string,
): IWebhookResponseData {
	const words = `The call was refused: ${reason}`;
	const advice = status === 401 ? COMPARE : '';
	if (isTest(context))
		throw new Problem(words, `${advice}In production, such a call gets status ${status}.`);
	return answer(context, status, redactor.shown(words));
}

/** Answers a call that nothing came of. The caller may be anybody, so only n8n's log tells why. */
function answer(context: IWebhookFunctions, status: number, words: string): IWebhookResponseData {
	context.logger.warn(words, logContext(context));
	const message = status === 401 ? 'Unauthorized' : 'The call could not be handled';
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Selects the events of a call that start the workflow, and gives the reasons why others do not. */
async function selectEvents(
	context: IWebhookFunctions,
	request: WebhookRequest,
	settings: Settings,
	{ deliveries }: TriggerState,
): Promise<{ events: IDataObject[]; reasons: string[] }> {
	const received = readEvents(request);
	const reasons = received.map((event) => reasonToSkip(event, settings.filters));
	const wanted = received.filter((_event, index) => reasons[index] === undefined);
	const known = reasons.filter((reason) => reason !== undefined);
	// During a test, the same event may come any number of times.
	if (isTest(context) || !settings.skipDuplicates) return { events: wanted, reasons: known };
	const identify = identifierFor(
		[context.getWorkflow().id, context.getNode().id],
		request,
		settings,
	);
	const areNew = await deliveries.take(wanted.map(identify), context.getResponseObject());
	if (!areNew.every(Boolean)) known.push('it was delivered before');
	return { events: wanted.filter((_event, index) => areNew[index]), reasons: known };
}

/** Logs why events do not start the workflow. In a test where none does, this is an error. */
function tellOfSkipped(
	context: IWebhookFunctions,
	redactor: Redactor,
	reasons: readonly string[],
	startedCount: number,
): void {
	const words = [...new Set(reasons)]
		.slice(0, MAX_LOGGED)
		.map((reason) => `An event does not start the workflow: ${reason}`);
	if (isTest(context) && startedCount === 0) throw new Problem(words[0], ACCEPTED);
	for (const each of words) context.logger.info(redactor.shown(each), logContext(context));
}

/** The headers and the query, without whatever contains a secret: proxies copy the address into some headers. */
function envelopeOf({ headers, query }: WebhookRequest, redactor: Redactor): IDataObject {
	const withoutSecrets = (entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(([name, value]) => !redactor.isIn(`${name} ${toText(value)}`)),
		);
	return { headers: withoutSecrets(headers), query: withoutSecrets(query) };
}
