import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { readAllSecrets, readWebhookSecrets } from '../api/account';
import { toText } from '../api/json';
import { Redactor } from '../api/secrets';
import { toNodeError } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { PanelValues } from '../panel/parameters';
import { readCredential } from './credential';
import { Deliveries } from './deliveries';
import { identifierFor } from './deliveryId';
import { MULTIPART, readEvents } from './events';
import { reasonToSkip } from './filters';
import { logContext } from '../n8n/logContext';
import { readSettings, type Settings } from './settings';
import { reasonToRefuse, type Verification } from './verification';

/** The deliveries that this process remembers, for all triggers. */
const deliveries = new Deliveries();

/** Ends the handling of a call that is refused. */
class Refusal extends Error {
	override name = 'Refusal';
	/** The status of the response. */
	readonly status: number;

	constructor(status: number, reason: string) {
		super(reason);
		this.status = status;
	}
}

const UNREADABLE =
	'the body cannot be read: it is too large, it is not what the header "Content-Encoding" says, or the sender hung up';

/**
 * Handles one call, from top to bottom: verifies it, reads its events, skips those that are filtered out or were
 * delivered before, and starts the workflow with the rest.
 *
 * A call that is not verified is answered with 401, and one whose body cannot be read with 400. Any failure in n8n,
 * such as a credential that cannot be read, is answered with 500, so that the service delivers again. None of these
 * creates an execution, except during a test, which shows the reason.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	// An error before the credential is read cannot contain its secrets.
	let redactor = new Redactor([]);
	try {
		const settings = readSettings(PanelValues.ofTrigger(context));
		const { verification, options } = settings;
		const needsSecrets = verification !== undefined || options.fullRequest;
		const credential = needsSecrets ? await readCredential(context) : {};
		redactor = new Redactor(readAllSecrets(credential));

		const isReadable = await tryReadBody(context);
		if (verification) {
			const secrets = readWebhookSecrets(credential);
			const call = context.getRequestObject();
			const reason = reasonToRefuse(verification, call, secrets, Date.now());
			if (reason !== undefined) throw new Refusal(401, reason);
		}
		// Checked after the verification, so that a stranger learns nothing but 401.
		if (!isReadable) throw new Refusal(400, UNREADABLE);

		const { kept, reasonsToSkip } = await skipEvents(context, settings);
		for (const reason of reasonsToSkip) {
			const words = `An event does not start the workflow: ${reason}`;
			context.logger.info(redactor.hide(words), logContext(context));
		}
		const webhookResponse = options.responseBody;
		if (kept.length === 0) {
			if (isTest(context)) throw skippedProblem(reasonsToSkip);
			return { webhookResponse };
		}
		const envelope = options.fullRequest && describeRequest(context, redactor, verification);
		const items = kept.map((event) => ({ json: envelope ? { ...envelope, body: event } : event }));
		return { workflowData: [items], webhookResponse };
	} catch (error) {
		if (isTest(context)) throw toTestError(context, error, redactor);
		return answerFailure(context, error, redactor);
	}
}

/** Reads the body, which n8n leaves to the node if it does not know the type. Returns whether that worked. */
async function tryReadBody(context: IWebhookFunctions): Promise<boolean> {
	const request = context.getRequestObject();
	if (request.contentType === MULTIPART) return true;
	return await request.readRawBody().then(
		() => true,
		() => false,
	);
}

/** Tells which events of a call start the workflow, and why the others do not. */
async function skipEvents(
	context: IWebhookFunctions,
	{ verification, filters, skipDuplicates, options }: Settings,
): Promise<{ kept: IDataObject[]; reasonsToSkip: string[] }> {
	const request = context.getRequestObject();
	const events = readEvents(request);
	if (events.length === 0) return { kept: [], reasonsToSkip: ['the list of events is empty'] };
	const reasons = events.map((event) => reasonToSkip(event, filters, options));
	// During a test, the same event may come any number of times.
	if (skipDuplicates && !isTest(context)) {
		const identify = identifierFor(request, options, verification?.signedHeaders);
		const ids = events.map((event, index) =>
			reasons[index] === undefined ? identify(event, index) : undefined,
		);
		const areNew = await deliveries.take(context, ids);
		for (const [index, isNew] of areNew.entries()) {
			if (!isNew) reasons[index] = 'it was delivered before';
		}
	}
	return {
		kept: events.filter((_event, index) => reasons[index] === undefined),
		reasonsToSkip: reasons.flatMap((reason) => reason ?? []),
	};
}

/**
 * The headers and the query, without the secret that verified the call and without anything that contains a secret of
 * the credential: proxies copy the address into some headers.
 */
function describeRequest(
	context: IWebhookFunctions,
	redactor: Redactor,
	verification: Verification | undefined,
): IDataObject {
	const { headers, query } = context.getRequestObject();
	const { part: secretPart, name: secretName } = verification?.secretAt ?? {};
	const without = (part: 'headers' | 'query', entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(([name, value]) => {
				const isSecret = part === secretPart && name === secretName;
				return !isSecret && !redactor.isIn(`${name} ${toText(value)}`);
			}),
		);
	return { headers: without('headers', headers), query: without('query', query) };
}

/** Answers a call that failed. The caller may be anybody, so the response does not tell the cause. */
function answerFailure(
	context: IWebhookFunctions,
	error: unknown,
	redactor: Redactor,
): IWebhookResponseData {
	const status = error instanceof Refusal ? error.status : 500;
	const reason = error instanceof Error ? error.message : String(error);
	const what = error instanceof Refusal ? 'A call was refused' : 'A call could not be handled';
	context.logger.warn(redactor.hide(`${what}: ${reason}`), logContext(context));
	context
		.getResponseObject()
		.status(status)
		.json({ message: status === 401 ? 'Unauthorized' : 'The call could not be handled' });
	return { noWebhookResponse: true };
}

/** Tells a user who tests the trigger why an event was skipped. */
function skippedProblem([reason]: readonly string[]): Problem {
	return new Problem(
		`The event does not start the workflow: ${reason}`,
		'In production, such an event is accepted, and nothing starts.',
	);
}

const COMPARE =
	'Compare how the service is set up with "Verification" here and "Webhook Secret" in the credential. In production, such a call gets status 401, and nothing starts.';
const AGAIN = 'To wait for the next call, select "Execute step" again.';

/** Tells a user who tests the trigger why a call failed. n8n shows it at the node. */
function toTestError(context: IWebhookFunctions, error: unknown, redactor: Redactor): Error {
	const problem =
		error instanceof Refusal
			? new Problem(`The call was refused: ${error.message}`, error.status === 401 ? COMPARE : '')
			: error;
	return toNodeError(context.getNode(), problem, { addition: AGAIN, redactor });
}

function isTest(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}
