import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { CREDENTIALS_TYPE } from '../n8n/connection';
import { Deliveries } from './deliveries';

/** Milliseconds for which a credential that was read serves later calls, too. */
const KEPT = 1_000;

/** What all triggers share, in one process of n8n. */
export class TriggerState {
	readonly deliveries: Deliveries;
	/** The credentials that are being read, or were a moment ago, by workflow and credential. */
	private readonly readings = new Map<string, Promise<ICredentialDataDecryptedObject>>();
	private readonly clock: Clock;

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
		this.deliveries = new Deliveries(clock);
	}

	/**
	 * Reads the credential of a trigger, for all calls of about a second: n8n starts an expression engine for each read,
	 * which takes 40 ms. A read that fails serves only the calls that wait for it.
	 */
	async readCredential(context: IWebhookFunctions): Promise<ICredentialDataDecryptedObject> {
		const { id } = context.getNode().credentials?.[CREDENTIALS_TYPE] ?? {};
		const name = `${context.getWorkflow().id} ${id}`;
		const known = this.readings.get(name);
		if (known) return await known;
		const reading = context.getCredentials(CREDENTIALS_TYPE);
		this.readings.set(name, reading);
		const forget = () => void this.readings.delete(name);
		reading.then(async () => await this.clock.wait(KEPT)).then(forget, forget);
		return await reading;
	}
}
