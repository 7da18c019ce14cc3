import type { IWebhookFunctions } from 'n8n-workflow';
import { readWebhookSecret } from '../../api/account';
import { CREDENTIALS_TYPE } from '../../connection';
import { BoundedMap } from '../../memory/boundedMap';

/** Maximum milliseconds that a secret is used without being read again. */
const MAX_AGE = 10_000;
/** Minimum milliseconds between re-reads after failed verifications. */
const MIN_REREAD_INTERVAL = 1_000;
const MAX_CACHED_SECRETS = 1_000;

/** Secrets by workflow, node and credential, shared by all calls of this process. */
const cache = new BoundedMap<string, { secret: Promise<string>; readAt: number }>(
	MAX_CACHED_SECRETS,
);

/** Forgets all cached secrets. For tests. */
export function resetSecrets(): void {
	cache.clear();
}

/**
 * The webhook secret of the trigger's credential. Reading a credential takes n8n longer than all else that
 * a call costs, so the secret is cached for some seconds.
 *
 * @param now milliseconds since 1970
 */
export function webhookSecret(context: IWebhookFunctions, now: number) {
	const { id, credentials } = context.getNode();
	const key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
	const readUnlessYounger = async (age: number): Promise<string> => {
		const cached = cache.get(key);
		if (cached && now - cached.readAt < age) return await cached.secret;
		const secret = context.getCredentials(CREDENTIALS_TYPE).then(readWebhookSecret);
		const entry = { secret, readAt: now };
		cache.set(key, entry);
		// A failure is not cached.
		secret.catch(() => cache.get(key) === entry && cache.delete(key));
		return await secret;
	};
	return {
		/** The secret as it was some seconds ago at most. */
		recent: async () => await readUnlessYounger(MAX_AGE),
		/** The secret as it is now, for a call that failed verification with the recent one. */
		latest: async () => await readUnlessYounger(MIN_REREAD_INTERVAL),
	};
}
