import type { ICredentialDataDecryptedObject, IHookFunctions } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT, readObject } from '../api/client';
import { asObject, isId } from '../api/json';
import { RequestFailure } from '../api/request';
import { isMarkup } from '../api/text';
import { isLoopback, path } from '../api/url';
import { connect } from '../n8n/connection';
import { activationProblem, logContext } from '../n8n/errors';
import { readAccount, readWebhookSecrets, withCredential } from '../panel/credential';
import { dropdown, type Field, showWhen, textField } from '../panel/field';
import { readJsonObject } from '../panel/jsonField';
import { PanelValues } from '../panel/values';
import { Problem } from '../words/problem';
import { readSettings } from './settings';

const registrationField = dropdown({
	displayName: 'Registration',
	name: 'registration',
	default: 'manual',
	description: 'How your messaging service learns the address of this trigger',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Subscribes to the events when you publish the workflow. Your service must offer that, and reach this n8n.',
		},
		{ name: 'Manual', value: 'manual', description: 'You enter the Production URL at the service' },
	],
});

const subscriptionPathField = textField(
	'Subscription Path',
	'subscriptionPath',
	'Where your service takes subscriptions, below the base URL. Its documentation may say so.',
	{
		required: true,
		advice: 'Enter where your service takes subscriptions, or set "Registration" to "Manual".',
	},
);

const ADDRESS = '{url}';
const EVENTS = '{events}';
const SECRET = '{secret}';

const subscriptionBodyField = textField(
	'Subscription Body',
	'subscriptionBody',
	`A subscription as your service wants it. "${ADDRESS}" stands for the address of this trigger, "${EVENTS}" for the list of events, "${SECRET}" for the webhook secret. What has no value is left out.`,
	{
		type: 'json',
		default: `{"url":"${ADDRESS}","events":"${EVENTS}","secret":"${SECRET}"}`,
		advice: `Enter an object with "${ADDRESS}", which stands for the address of this trigger.`,
	},
);

export const registrationFields: Field[] = [
	registrationField,
	...showWhen({ registration: ['automatic'] }, subscriptionPathField, subscriptionBodyField),
];

/**
 * Checks that calls can be verified and filtered as the panel says. With automatic registration, it takes the earlier
 * subscription of this trigger away and makes a new one; with manual, it forgets the earlier one.
 *
 * @throws {NodeApiError | NodeOperationError} when something is not filled in, or it is not certain that the service has
 * this one subscription.
 */
export async function subscribe(context: IHookFunctions): Promise<void> {
	await withCredential(context, async (credential) => {
		const values = PanelValues.ofTrigger(context);
		const secrets = readWebhookSecrets(credential);
		const { verification, events } = readSettings(values, secrets);
		if (values.choice(registrationField) === 'manual') return storeUrl(context);
		const endpoint = `/${values.requiredText(subscriptionPathField).replace(/^\/+|\/+$/g, '')}`;
		// Behind a query, a subscription would have no path of its own.
		if (/[?#]|:\/\//.test(endpoint)) values.refuse(subscriptionPathField, endpoint, 'is no path');
		// There is one for each webhook of the node's description.
		const address = String(context.getNodeWebhookUrl('default'));
		const body = subscriptionBodyOf(values, address, events, secrets.at(0));
		if (verification?.hasSecretInQuery) {
			throw new Problem(
				'With automatic registration, the secret cannot be in the query',
				'Set "Secret Location" to "Header", or "Registration" to "Manual".',
			);
		}
		const client = connectBriefly(context, credential);
		if (isLoopback(address) && !isLoopback(client.account.baseUrl.href)) {
			const words = `The service cannot reach n8n at ${address}: set WEBHOOK_URL to its address from outside, and restart n8n`;
			throw new Problem(words, words);
		}
		await removeSubscription(context, client).catch((failure: unknown) => {
			throw activationProblem(failure, notRemoved(context));
		});
		storeUrl(context, await createSubscription(client, endpoint, body, address));
	});
}

/**
 * Reads the body of a subscription; of one to all events when the list is empty.
 *
 * @throws {Problem} when it is not there, or does not have the address.
 */
function subscriptionBodyOf(
	values: PanelValues,
	address: string,
	events: readonly string[],
	secret?: string,
): object {
	const template = JSON.stringify(readJsonObject(values, subscriptionBodyField));
	if (!template.includes(`"${ADDRESS}"`)) {
		const { displayName, advice } = subscriptionBodyField;
		values.fail(`"${displayName}" does not have "${ADDRESS}"`, advice);
	}
	const fillIn = (_name: string, value: unknown) => {
		if (value === ADDRESS) return address;
		if (value === EVENTS) return events.length > 0 ? events : undefined;
		if (value === SECRET) return secret;
		// An entry without a value has left a gap in its list.
		return Array.isArray(value) ? value.filter(() => true) : value;
	};
	return asObject(JSON.parse(template, fillIn));
}

/**
 * Takes the subscription of this trigger away, if it has made one. If that fails, n8n's log says so, and publishing again
 * takes it away: n8n 1 would go on calling a trigger whose hook has thrown.
 */
export async function unsubscribe(context: IHookFunctions): Promise<void> {
	if (storedUrl(context) === '') return;
	const removal = withCredential(context, async (credential) => {
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
	const { baseUrl, redactor } = client.account;
	const noEndpoint = `The service takes no subscriptions at ${endpoint}: check "Subscription Path", or set "Registration" to "Manual"`;
	const notFound = { message: noEndpoint, description: noEndpoint };
	const advice = `It may have made the subscription: remove each for ${address} there, and publish again, or set "Registration" to "Manual" if its answer has no "id".`;
	const subscription = await client
		.send({ method: 'POST', path: endpoint, repeat: 'ifRefused', body, notFound }, (response) => {
			const { id } = readObject(response) ?? {};
			// n8n keeps it with the workflow, where no secret may be.
			return isId(id) && !redactor.isIn(String(id)) ? path`/${String(id)}` : undefined;
		})
		.catch((failure: unknown) => {
			// With the status 409, services say that there is one already.
			const mayExist =
				failure instanceof RequestFailure &&
				(failure.outcome === 'unknown' || failure.status === 409);
			throw mayExist ? activationProblem(failure, advice) : failure;
		});
	return baseUrl.href + endpoint + subscription;
}

/** What says that a subscription is gone already. */
const GONE = [404, 410];

/** Takes the stored subscription away at the service, where it may be gone already, and forgets it. */
async function removeSubscription(context: IHookFunctions, client: Client): Promise<void> {
	const url = storedUrl(context);
	const service = client.account.baseUrl.href;
	if (url.startsWith(`${service}/`)) {
		const endpoint = url.slice(service.length);
		await client.send(
			{ method: 'DELETE', path: endpoint, repeat: 'idempotent', accepts: GONE },
			// A login page comes with a success, too.
			({ status, text }) => GONE.includes(status) || !isMarkup(text) || undefined,
		);
	} else if (url !== '') {
		const words = `The subscription ${url} is still there: the base URL has changed`;
		context.logger.warn(words, logContext(context));
	}
	storeUrl(context);
}

function notRemoved(context: IHookFunctions): string {
	return `The subscription ${storedUrl(context)} was not removed: remove it at the service.`;
}

/** Milliseconds for an activation. n8n 2 tries five times, and gives up after 84 seconds in all. */
const MAX_TIME = 10_000;

/** A client that sends a request once more at most, since n8n waits for the hook. */
function connectBriefly(context: IHookFunctions, data: ICredentialDataDecryptedObject): Client {
	const client = connect(context, { data, account: readAccount(data) });
	return client.with({ ...DEFAULT_TRANSPORT, maxRetries: 1 }).within(MAX_TIME);
}

/**
 * Where the subscription of this trigger is at the service, as n8n keeps it with the workflow; empty if there is none. A
 * copy of a workflow has what n8n keeps with it, too, so it is kept by the ID of the workflow.
 */
function storedUrl(context: IHookFunctions): string {
	return String(context.getWorkflowStaticData('node')[String(context.getWorkflow().id)] ?? '');
}

function storeUrl(context: IHookFunctions, url?: string): void {
	context.getWorkflowStaticData('node')[String(context.getWorkflow().id)] = url;
}
