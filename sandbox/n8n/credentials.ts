import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RestClient } from './rest.ts';

/** The credential of this package. */
export const CREDENTIAL_TYPE = 'messagingServiceApi';

/** How a node refers to a stored credential. */
export interface CredentialReference {
	id: string;
	name: string;
}

export interface NewCredential {
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

interface StoredCredential extends CredentialReference {
	type: string;
}

/** Stores a credential and gives what nodes refer to it by. */
export async function createCredential(
	rest: RestClient,
	credential: NewCredential,
): Promise<CredentialReference> {
	const { id, name } = await rest.post<StoredCredential>('/rest/credentials', credential);
	return { id, name };
}

/** Updates the credential of this name and type, or makes it. */
export async function upsertCredential(
	rest: RestClient,
	credential: NewCredential,
): Promise<CredentialReference> {
	const stored = await rest.get<StoredCredential[]>('/rest/credentials');
	const same = stored.find(
		({ name, type }) => name === credential.name && type === credential.type,
	);
	if (!same) return await createCredential(rest, credential);
	await rest.patch(`/rest/credentials/${same.id}`, credential);
	return { id: same.id, name: same.name };
}
