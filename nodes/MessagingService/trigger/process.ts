import type { Clock } from '../api/time';
import { systemClock } from '../n8n/clock';
import { CredentialReadings } from './credentials';
import { Deliveries } from './deliveries';

/** What all triggers share, in one process of n8n. */
export class TriggerState {
	readonly credentials: CredentialReadings;
	readonly deliveries: Deliveries;

	constructor(clock: Clock = systemClock) {
		this.credentials = new CredentialReadings(clock);
		this.deliveries = new Deliveries(clock);
	}
}
