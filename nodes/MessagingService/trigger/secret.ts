import type { IWebhookFunctions } from 'n8n-workflow';
import { CREDENTIALS_TYPE, readWebhookSecret } from '../transport/credentials';

/** How long a secret may be used before it is read again. */
const LIFETIME = 10_000;
/** So often at most is it read again because of calls that do not pass. */
const PAUSE = 1_000;
const MOST_ENTRIES = 1_000;

interface Entry {
	secret: Promise<string>;
	readAt: number;
}

const entries = new Map<string, Entry>();

/**
 * The webhook secret of the trigger's credential. Reading a credential takes n8n longer than all else that
 * a call costs, so the secret is kept for some seconds.
 */
export class WebhookSecret {
	private readonly context: IWebhookFunctions;
	private readonly key: string;
	private readonly now: number;

	constructor(context: IWebhookFunctions, now: number) {
		const { id, credentials } = context.getNode();
		this.context = context;
		this.key = [context.getWorkflow().id, id, credentials?.[CREDENTIALS_TYPE]?.id].join('/');
		this.now = now;
	}

	/** The secret as it was some seconds ago at most. */
	async recent(): Promise<string> {
		const entry = entries.get(this.key);
		return await (entry && this.now - entry.readAt < LIFETIME ? entry.secret : this.read());
	}

	/** The secret as it is now, for a call that the recent one does not let in. */
	async latest(): Promise<string> {
		const entry = entries.get(this.key);
		return await (entry && this.now - entry.readAt < PAUSE ? entry.secret : this.read());
	}

	private async read(): Promise<string> {
		if (entries.size >= MOST_ENTRIES) entries.clear();
		const secret = this.context.getCredentials(CREDENTIALS_TYPE).then(readWebhookSecret);
		const entry = { secret, readAt: this.now };
		entries.set(this.key, entry);
		// What could not be read is not kept.
		secret.catch(() => entries.get(this.key) === entry && entries.delete(this.key));
		return await secret;
	}
}
