import type {
	ICredentialDataDecryptedObject as DecryptedCredential,
	IWebhookFunctions,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../connection';

/** A reading of a credential, and the one after it, if a call waits for that. */
interface Reading {
	credential: Promise<DecryptedCredential>;
	next?: Promise<DecryptedCredential>;
}

/** The reading that is under way, by trigger and credential. */
const underWay = new Map<string, Reading>();

/**
 * Reads the credential of a trigger, once for all calls that come in while an earlier reading is under way. To read it
 * takes n8n longer than all else that a call costs. No call joins a reading that began before it, since somebody may
 * have replaced the secret in between: it waits for the next one.
 */
export async function readCredentialInBatch(
	context: IWebhookFunctions,
): Promise<DecryptedCredential> {
	const { id, credentials } = context.getNode();
	const key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
	const read = async () => await startReading(key, context);
	const earlier = underWay.get(key);
	if (!earlier) return await read();
	earlier.next ??= earlier.credential.then(read, read);
	return await earlier.next;
}

async function startReading(key: string, context: IWebhookFunctions): Promise<DecryptedCredential> {
	const reading: Reading = { credential: context.getCredentials(CREDENTIALS_TYPE) };
	underWay.set(key, reading);
	try {
		return await reading.credential;
	} finally {
		// Unless the next one has begun.
		if (underWay.get(key) === reading) underWay.delete(key);
	}
}
