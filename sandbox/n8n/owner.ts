import type { RestClient } from './rest.ts';

/** Who may log in to the sandbox. No secret: n8n listens on the own machine only. */
export const OWNER = {
	email: 'owner@example.com',
	password: 'Sandbox-2-try',
	firstName: 'Sandbox',
	lastName: 'Owner',
};

interface Settings {
	userManagement: { showSetupOnFirstLoad: boolean };
}

/** Logs in as the owner, who is made first in a new n8n. */
export async function logIn(rest: RestClient): Promise<void> {
	const { userManagement } = await rest.get<Settings>('/rest/settings');
	if (userManagement.showSetupOnFirstLoad) {
		await rest.post('/rest/owner/setup', OWNER);
	} else {
		await rest.post('/rest/login', {
			emailOrLdapLoginId: OWNER.email,
			password: OWNER.password,
		});
	}
}
