import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { readAllSecrets, readWebhookSecrets } from '../../api/account';
import { Redactor } from '../../api/secrets';
import { CREDENTIALS_TYPE } from '../../connection';
import { BoundedMap } from '../../memory/boundedMap';
import { systemClock } from '../../systemClock';

/** Maximum milliseconds that secrets are used without being read again. */
const MAX_AGE = 10_000;
/** Minimum milliseconds between re-reads after failed verifications, for which the calls wait. */
const MIN_REREAD_INTERVAL = 100;
const MAX_CACHED_SECRETS = 1_000;

export interface Secrets {
	/** Those that calls are verified with, the current one first. */
	webhook: readonly string[];
	redactor: Redactor;
}

interface Entry {
	secrets: Promise<Secrets>;
	/** When they began to be read, by the clock. */
	readAt: number;
	/** The read after this one, if a call waits for it. */
	next?: Promise<Secrets>;
}

/** Secrets by workflow, node and credential, shared by all calls of this process. */
const cache = new BoundedMap<string, Entry>(MAX_CACHED_SECRETS);

/** Forgets all cached secrets. For tests. */
export function resetSecrets(): void {
	cache.clear();
}

/**
 * The secrets of the trigger's credential, for a call that has just come in. Reading a credential takes n8n longer than
 * all else that a call costs, so they are cached for some seconds.
 */
export function secretsOf(context: IWebhookFunctions, clock = systemClock) {
	const cameAt = clock.now();
	const { id, credentials } = context.getNode();
	const key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
	const read = async (): Promise<Secrets> => {
		const secrets = context.getCredentials(CREDENTIALS_TYPE).then(toSecrets);
		const entry: Entry = { secrets, readAt: clock.now() };
		cache.set(key, entry);
		// A failure is not cached.
		secrets.catch(() => cache.get(key) === entry && cache.delete(key));
		return await secrets;
	};
	const readAgain = async ({ readAt }: Entry): Promise<Secrets> => {
		await clock.wait(readAt + MIN_REREAD_INTERVAL - clock.now());
		return await read();
	};
	return {
		/** The secrets as they were some seconds ago at most. */
		recent: async (): Promise<Secrets> => {
			const cached = cache.get(key);
			return cached && clock.now() - cached.readAt < MAX_AGE ? await cached.secrets : await read();
		},
		/** The secrets as they were after the call had come in, for one that the recent ones do not let in. */
		latest: async (): Promise<Secrets> => {
			const cached = cache.get(key);
			if (!cached) return await read();
			if (cached.readAt >= cameAt) return await cached.secrets;
			cached.next ??= readAgain(cached);
			return await cached.next;
		},
	};
}

function toSecrets(credential: ICredentialDataDecryptedObject): Secrets {
	return {
		webhook: readWebhookSecrets(credential),
		redactor: new Redactor(readAllSecrets(credential)),
	};
}
