import type { IWebhookFunctions } from 'n8n-workflow';
import { readWebhookSecrets } from '../../api/account';
import { CREDENTIALS_TYPE } from '../../connection';
import { BoundedMap } from '../../memory/boundedMap';

/** Maximum milliseconds that secrets are used without being read again. */
const MAX_AGE = 10_000;
/** Minimum milliseconds between re-reads after failed verifications. */
const MIN_REREAD_INTERVAL = 1_000;
const MAX_CACHED_SECRETS = 1_000;

/** Secrets by workflow, node and credential, shared by all calls of this process. */
const cache = new BoundedMap<string, { secrets: Promise<string[]>; readAt: number }>(
	MAX_CACHED_SECRETS,
);

/** Forgets all cached secrets. For tests. */
export function resetSecrets(): void {
	cache.clear();
}

/**
 * The webhook secrets of the trigger's credential, the current one first. Reading a credential takes n8n longer
 * than all else that a call costs, so they are cached for some seconds.
 *
 * @param now milliseconds since 1970
 */
export function webhookSecrets(context: IWebhookFunctions, now: number) {
	const { id, credentials } = context.getNode();
	const key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
	const readUnlessYounger = async (age: number): Promise<string[]> => {
		const cached = cache.get(key);
		if (cached && now - cached.readAt < age) return await cached.secrets;
		const secrets = context.getCredentials(CREDENTIALS_TYPE).then(readWebhookSecrets);
		const entry = { secrets, readAt: now };
		cache.set(key, entry);
		// A failure is not cached.
		secrets.catch(() => cache.get(key) === entry && cache.delete(key));
		return await secrets;
	};
	return {
		/** The secrets as they were some seconds ago at most. */
		recent: async () => await readUnlessYounger(MAX_AGE),
		/** The secrets as they are now, for a call that failed verification with the recent ones. */
		latest: async () => await readUnlessYounger(MIN_REREAD_INTERVAL),
	};
}
