import type {
	ICredentialDataDecryptedObject as DecryptedCredential,
	IWebhookFunctions,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../n8n/connection';

/** A read of a credential that is under way, and the next read, if calls are waiting for it. */
interface Reading {
	credential: Promise<DecryptedCredential>;
	next?: Promise<DecryptedCredential>;
}

/** The read that is under way, by trigger and credential. */
const underWay = new Map<string, Reading>();

/**
 * Reads the credential of a trigger. In n8n, this takes longer than the rest of a call, so calls that come in during a
 * read share the next read; with a read for each call, a burst would take a third more time. They do not join the read
 * that is under way, since the secret may have been replaced after it began.
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
		// Unless the next read has replaced it.
		if (underWay.get(key) === reading) underWay.delete(key);
	}
}
