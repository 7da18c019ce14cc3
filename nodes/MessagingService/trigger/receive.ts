import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import type { Redactor } from '../api/secrets';
import { toText } from '../api/text';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { CREDENTIALS_TYPE } from '../n8n/connection';
import { logContext } from '../n8n/errors';
import { readWebhookSecrets, withCredential } from '../panel/credential';
import { PanelValues } from '../panel/values';
import { Problem } from '../words/problem';
import { Deliveries, identifierFor } from './deliveries';
import { MULTIPART, readEvents, type WebhookRequest } from './events';
import { readSettings, reasonToSkip, type Settings } from './settings';

const UNREADABLE = 'the body is too large, not what "Content-Encoding" says, or cut off';
const COMPARE = 'Compare "Verification" and "Webhook Secret" with the service.';
const ACCEPTED = 'In production, it is accepted, and nothing starts.';
const AGAIN = 'To wait for the next call, select "Execute step" again.';

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
	state: TriggerState,
): Promise<IWebhookResponseData> {
	let status = 500;
	const refuse = (refusedWith: number, reason: string, advice = '') => {
		status = refusedWith;
		const words = `${advice} In production, such a call gets status ${status}.`;
		throw new Problem(`The call was refused: ${reason}`, words.trim());
	};
	const handling = withCredential(
		context,
		async (credential, redactor) => {
			const secrets = readWebhookSecrets(credential);
			const settings = readSettings(PanelValues.ofTrigger(context), secrets);
			const request = context.getRequestObject();
			// n8n leaves a body of a type that it does not know to the node, and keeps none of a form with files.
			if (request.contentType !== MULTIPART)
				await request.readRawBody().catch(() => refuse(400, UNREADABLE));
			const refusal = settings.verification?.verify(request, Date.now());
			if (refusal !== undefined) refuse(401, refusal, COMPARE);

			const { events, reasons } = await selectEvents(context, state, request, settings);
			const skipped = `An event does not start the workflow: ${[...reasons].join('; another: ')}`;
			if (isTest(context) && events.length === 0) throw new Problem(skipped, ACCEPTED);
			if (reasons.size > 0) context.logger.info(redactor.shown(skipped), logContext(context));
			const envelope = settings.fullRequest && envelopeOf(request, redactor);
			const items = events.map((body) => ({ json: envelope ? { ...envelope, body } : body }));
			return { workflowData: items.length > 0 ? [items] : undefined, webhookResponse: '' };
		},
		{ read: async () => await state.readCredential(context), addition: AGAIN },
	);
	return await handling.catch((error: Error) => {
		if (isTest(context)) throw error;
		return answer(context, status, error.message);
	});
}

function isTest(context: IWebhookFunctions): boolean {
	return context.getMode() === 'manual';
}

/** Answers a call that nothing comes of. The caller may be anybody, so only n8n's log tells why. */
function answer(context: IWebhookFunctions, status: number, reason: string): IWebhookResponseData {
	const words = status === 500 ? `A call could not be handled: ${reason}` : reason;
	context.logger.warn(words, logContext(context));
	const message = status === 401 ? 'Unauthorized' : 'The call could not be handled';
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}

/** Selects the events of a call that start the workflow, and gives the reasons why others do not. */
async function selectEvents(
	context: IWebhookFunctions,
	{ deliveries }: TriggerState,
	request: WebhookRequest,
	settings: Settings,
): Promise<{ events: IDataObject[]; reasons: Set<string> }> {
	const reasons = new Set<string>();
	const wanted = readEvents(request).filter((event) => {
		const reason = reasonToSkip(event, settings);
		if (reason !== undefined) reasons.add(reason);
		return reason === undefined;
	});
	// During a test, the same event may come any number of times.
	if (isTest(context) || !settings.skipDuplicates) return { events: wanted, reasons };
	const trigger = [context.getWorkflow().id, context.getNode().id];
	const ids = wanted.map(identifierFor(trigger, request, settings));
	const areNew = await deliveries.take(ids, context.getResponseObject());
	if (areNew.includes(false)) reasons.add('it was delivered before');
	return { events: wanted.filter((_event, index) => areNew[index]), reasons };
}

/** The headers and the query, without whatever contains a secret: proxies copy the address into some headers. */
function envelopeOf({ headers, query }: WebhookRequest, redactor: Redactor): IDataObject {
	const withoutSecrets = (entries: object): IDataObject =>
		Object.fromEntries(
			Object.entries(entries).filter(([name, value]) => !redactor.isIn(`${name} ${toText(value)}`)),
		);
	return { headers: withoutSecrets(headers), query: withoutSecrets(query) };
}

/** Milliseconds for which a credential that was read serves later calls, too. */
const KEPT = 1_000;

/** What all triggers share, in one process of n8n. */
export class TriggerState {
	readonly deliveries: Deliveries;
	/** The credentials that are being read, or were a moment ago, by workflow and credential. */
	private readonly readings = new Map<string, Promise<ICredentialDataDecryptedObject>>();
	private readonly clock: Clock;

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
		this.deliveries = new Deliveries(clock);
	}

	/**
	 * Reads the credential of a trigger, for all calls of about a second: n8n starts an expression engine for each read,
	 * which takes 40 ms. A read that fails serves only the calls that wait for it.
	 */
	async readCredential(context: IWebhookFunctions): Promise<ICredentialDataDecryptedObject> {
		const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
		const name = `${context.getWorkflow().id} ${id}`;
		const known = this.readings.get(name);
		if (known) return await known;
		const reading = context.getCredentials(CREDENTIALS_TYPE);
		this.readings.set(name, reading);
		const forget = () => void this.readings.delete(name);
		reading.then(async () => await this.clock.wait(KEPT)).then(forget, forget);
		return await reading;
	}
}
