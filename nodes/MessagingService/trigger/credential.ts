import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { CREDENTIALS_TYPE } from '../connection';

type Credential = ICredentialDataDecryptedObject;

/** A credential that is being read, and the reading after it, if a call waits for that. */
interface Reading {
	credential: Promise<Credential>;
	next?: Promise<Credential>;
}

/** By trigger and credential. */
const underWay = new Map<string, Reading>();

/**
 * Reads the credential of a trigger as it is after a call has come in. That takes n8n longer than all else that a call
 * costs, so calls that come while one is being read share the reading after it.
 */
export async function readCredential(context: IWebhookFunctions): Promise<Credential> {
	const { id, credentials } = context.getNode();
	const key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
	const begin = async (): Promise<Credential> => {
		const reading: Reading = { credential: context.getCredentials(CREDENTIALS_TYPE) };
		underWay.set(key, reading);
		try {
			return await reading.credential;
		} finally {
			if (underWay.get(key) === reading) underWay.delete(key);
		}
	};
	const earlier = underWay.get(key);
	if (!earlier) return await begin();
	earlier.next ??= earlier.credential.then(begin, begin);
	return await earlier.next;
}
