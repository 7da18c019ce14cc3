import { type ICredentialDataDecryptedObject, type IWebhookFunctions, sleep } from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../n8n/connection';

/** Milliseconds for which a credential that was read serves later calls, too. */
const KEPT = 1_000;

/** The credentials that are being read, or were a moment ago, by workflow and credential. */
const readings = new Map<string, Promise<ICredentialDataDecryptedObject>>();

/**
 * Reads the credential of a trigger, for all calls of about a second: n8n starts an expression engine for each read,
 * which takes 40 ms. A read that fails serves only the calls that wait for it.
 */
export async function readCredential(
	context: IWebhookFunctions,
): Promise<ICredentialDataDecryptedObject> {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	const name = `${context.getWorkflow().id} ${id}`;
	const known = readings.get(name);
	if (known) return await known;
	const reading = context.getCredentials(CREDENTIALS_TYPE);
	readings.set(name, reading);
	const forget = () => void readings.delete(name);
	reading.then(async () => await sleep(KEPT)).then(forget, forget);
	return await reading;
}
