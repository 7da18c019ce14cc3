import type {
	ICredentialDataDecryptedObject as DecryptedCredential,
	IWebhookFunctions,
} from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../connection';

/** A credential that is being read, and the next reading of it if a call waits for that. */
interface Reading {
	credential: Promise<DecryptedCredential>;
	next?: Promise<DecryptedCredential>;
}

/** The reading that is under way, by trigger and credential. */
const underWay = new Map<string, Reading>();

/**
 * Reads the credential of a trigger. This takes n8n longer than all else that a call costs, so calls that come in during
 * a reading share the next one; each with its own, a burst takes a third more time. They do not join the one under way:
 * the secret may have been replaced since it began.
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
