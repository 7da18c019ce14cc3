import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { toText } from '../api/text';
import { Redactor } from '../api/secrets';
import { logContext, toNodeError } from '../n8n/errors';
import { Problem } from '../words/problem';
import { readWebhookSecrets, redactorOf } from '../panel/credential';
import { PanelValues } from '../panel/values';
import { identifierFor } from './deliveries';
import { MULTIPART, readEvents, type WebhookRequest } from './events';
import { reasonToSkip } from './filters';
import type { TriggerState } from './process';
import { readSettings, type Settings } from './settings';
import { reasonToRefuse } from './verification';

/** Ends the handling of a call that may not pass. */
class Refusal extends Problem {
	override name = 'Refusal';
	/** The status of the response. */
	readonly status: number;

	constructor(status: number, reason: string, description?: string) {
		super(`The call was refused: ${reason}`, description);
		this.status = status;
	}
}

const UNREADABLE =
	'the body cannot be read: it is too large, not what "Content-Encoding" says, or cut off';
const COMPARE =
	'Compare "Verification" here and "Webhook Secret" in the credential with the service. In production, such a call gets status 401.';
const ACCEPTED = 'In production, such an event is accepted, and nothing starts.';
const AGAIN = 'To wait for the next call, select "Execute step" again.';

/**
 * Handles one call, from top to bottom: verifies it, reads its events, skips those that are filtered out or were
 * delivered before, and starts the workflow with the rest.
 *
 * A call that is not verified is answered with 401, and one whose body cannot be read with 400. Any failure in n8n,
 * such as a credential that cannot be read, is answered with 500, so that the service delivers again. None of these
 * creates an execution.
 *
 * While somebody tests the trigger, why nothing starts is an error that n8n shows at the node.
 */
export async function receive(
	context: IWebhookFunctions,
	{ credentials, deliveries }: TriggerState,
): Promise<IWebhookResponseData> {
	const isTest = context.getMode() === 'manual';
	// An error before the credential is read cannot contain its secrets.
	let redactor = new Redactor([]);
	try {
		const credential = await credentials.read(context);
		redactor = redactorOf(credential);
		const settings = readSettings(PanelValues.ofTrigger(context));

		const request = await readRequest(context);
		verify(request, settings, readWebhookSecrets(credential));
		const { events, reasonsToSkip } = await selectEvents(
			context,
			request,
			settings,
			isTest ? undefined : deliveries,
		);
		const skipped = reasonsToSkip.map(
			(reason) => `An event does not start the workflow: ${reason}`,
		);
		if (isTest && events.length === 0) throw new Problem(skipped[0], ACCEPTED);

		for (const words of skipped) context.logger.info(redactor.hide(words), logContext(context));
		const envelope = settings.fullRequest && envelopeOf(request, redactor);
		const items = events.map((body) => ({ json: envelope ? { ...envelope, body } : body }));
		return { workflowData: items.length > 0 ? [items] : undefined, webhookResponse: '' };
	} catch (failure) {
		const error = toNodeError(context.getNode(), failure, { addition: AGAIN, redactor });
		if (isTest) throw error;
		const isRefused = failure instanceof Refusal;
		const words = isRefused ? error.message : `A call could not be handled: ${error.message}`;
		context.logger.warn(words, logContext(context));
		answerFailure(context, isRefused ? failure.status : 500);
		return { noWebhookResponse: true };
	}
}

/** The call with its body, which n8n leaves to the node if it does not know the type. */
async function readRequest(context: IWebhookFunctions): Promise<WebhookRequest> {
	const request = context.getRequestObject();
	if (request.contentType !== MULTIPART) {
		await request.readRawBody().catch(() => {
			throw new Refusal(400, UNREADABLE);
		});
	}
	return request;
}

function verify(request: WebhookRequest, { verification }: Settings, secrets: string[]): void {
	const reason = verification && reasonToRefuse(verification, request, secrets, Date.now());
	if (reason !== undefined) throw new Refusal(401, reason, COMPARE);
}

/**
 * Selects the events of a call that start the workflow, and tells why the others do not.
 *
 * @param deliveries undefined during a test, when the same event may come any number of times
 */
async function selectEvents(
	context: IWebhookFunctions,
	request: WebhookRequest,
	settings: Settings,
	deliveries: TriggerState['deliveries'] | undefined,
): Promise<{ events: IDataObject[]; reasonsToSkip: string[] }> {
	const received = readEvents(request).map((event) => ({
		event,
		reason: reasonToSkip(event, settings.filters),
	}));
	const wanted = received.filter(({ reason }) => reason === undefined);
	const reasonsToSkip = received.flatMap(({ reason }) => reason ?? []);
	if (!deliveries || !settings.skipDuplicates) {
		return { events: wanted.map(({ event }) => event), reasonsToSkip };
	}
	const trigger = [context.getWorkflow().id, context.getNode().id];
	const identify = identifierFor(trigger, request, settings);
	const ids = wanted.map(({ event }) => identify(event));
	const areNew = await deliveries.take(ids, context.getResponseObject());
	return {
		events: wanted.filter((_each, index) => areNew[index]).map(({ event }) => event),
		reasonsToSkip: [
			...reasonsToSkip,
			...areNew.flatMap((isNew) => (isNew ? [] : 'it was delivered before')),
		],
	};
}

/** The headers and the query, without whatever contains a secret: proxies copy the address into some headers. */
function envelopeOf({ headers, query }: WebhookRequest, redactor: Redactor): IDataObject {
	const withoutSecrets = (entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(([name, value]) => !redactor.isIn(`${name} ${toText(value)}`)),
		);
	return { headers: withoutSecrets(headers), query: withoutSecrets(query) };
}

/** Answers a call that nothing came of. The caller may be anybody, so the response does not tell the cause. */
function answerFailure(context: IWebhookFunctions, status: number): void {
	const message = status === 401 ? 'Unauthorized' : 'The call could not be handled';
	context.getResponseObject().status(status).json({ message });
}
