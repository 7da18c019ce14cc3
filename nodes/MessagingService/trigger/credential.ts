import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../n8n/connection';

/** Reads that are under way, by workflow and credential. */
const underWay = new Map<string, Promise<ICredentialDataDecryptedObject>>();

/**
 * Reads the credential of a trigger. Calls that come while it is being read share the read, since n8n starts an
 * expression engine for each read, which takes 40 ms.
 */
export async function readCredential(
	context: IWebhookFunctions,
): Promise<ICredentialDataDecryptedObject> {
	const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
	const name = `${context.getWorkflow().id} ${id}`;
	let reading = underWay.get(name);
	if (!reading) {
		reading = context.getCredentials(CREDENTIALS_TYPE).finally(() => underWay.delete(name));
		underWay.set(name, reading);
	}
	return await reading;
}
