import { RestError, type RestClient } from './rest.ts';

/** Who may log in to the sandbox. No secret: n8n listens on the own machine only. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'Sandbox-2-try',
	firstName: 'Sandbox',
	lastName: 'Owner',
};

const ALREADY_SET_UP = 400;

/** Logs in as the owner, who is made first in a new n8n. */
export async function logIn(rest: RestClient): Promise<void> {
	try {
		await rest.post('/rest/owner/setup', OWNER);
	} catch (error) {
		if (!(error instanceof RestError) || error.status !== ALREADY_SET_UP) throw error;
		await rest.post('/rest/login', {
			emailOrLdapLoginId: OWNER.email,
			password: OWNER.password,
		});
	}
}
