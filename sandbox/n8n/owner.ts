import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { RestError, type RestClient } from './rest.ts';

/** Who may log in to an n8n. */
export interface Owner {
	email: string;
	password: string;
}

/** In the folder of an n8n that stays. */
const FILE = 'owner.json';

const ALREADY_SET_UP = 400;

/** Makes up a password. n8n wants a capital letter and a digit. */
const newOwner = (): Owner => ({
	email: 'owner@example.com',
	password: `N8n-${randomBytes(9).toString('base64url')}`,
});

/** The owner of all that are gone when this process ends. */
const OWNER = newOwner();

/** The owner of the n8n in a folder, where the password is kept, or of one that does not stay. */
export async function ownerOf(userFolder?: string): Promise<Owner> {
	if (userFolder === undefined) return OWNER;
	const file = join(userFolder, FILE);
	const kept = await readFile(file, 'utf8').catch(() => undefined);
	if (kept !== undefined) return JSON.parse(kept);
	const owner = newOwner();
	await writeFile(file, JSON.stringify(owner), { mode: 0o600 });
	return owner;
}

/** Logs in as the owner, who is made first in a new n8n. */
export async function logIn(rest: RestClient, { email, password }: Owner): Promise<void> {
	try {
		const name = { firstName: 'Sandbox', lastName: 'Owner' };
		await rest.post('/rest/owner/setup', { email, password, ...name });
	} catch (error) {
		if (!(error instanceof RestError) || error.status !== ALREADY_SET_UP) throw error;
		await rest.post('/rest/login', { emailOrLdapLoginId: email, password });
	}
}
