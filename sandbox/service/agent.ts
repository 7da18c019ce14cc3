import { setTimeout as sleep } from 'node:timers/promises';

import type { WebhookBody } from './contract.ts';
import { addMessage, type Store, type Team } from './store.ts';

/** Runs what an accepted webhook call triggers. */
export interface Agent {
	/** Starts a run; its message appears a moment later. */
	run(team: Team, body: WebhookBody): void;
	/** Forgets the runs that are still to come. */
	stop(): void;
}

const DELAY_MS = 25;

/** Makes the agent of a store. */
export function createAgent(store: Store, isEnabled: () => boolean): Agent {
	const stopped = new AbortController();
	const { signal } = stopped;
	const answer = (team: Team, phone: string, { firstName }: WebhookBody) => {
		const inbox = team.inboxes[Number(phone.slice(-4)) % team.inboxes.length];
		if (inbox === undefined) return;
		const name = typeof firstName === 'string' ? ` ${firstName}` : '';
		addMessage(store, team, {
			inbox,
			phone,
			body: `Hi${name}, thanks for reaching out! When is a good time to talk?`,
			inbound: false,
			at: Date.now(),
		});
	};

	return {
		run(team, body) {
			const phone = normalizePhone(body.phone ?? '');
			// Interface section "Invoke a webhook": the agent sends only when connected to an inbox.
			if (!isEnabled() || phone === undefined || team.inboxes.length === 0) return;
			const pause = sleep(DELAY_MS, undefined, { signal, ref: false });
			void pause.then(() => answer(team, phone, body)).catch(() => undefined);
		},
		stop: () => stopped.abort(),
	};
}

/** E.164, as far as digits go; undefined when there are none. */
function normalizePhone(phone: string): string | undefined {
	const digits = phone.replace(/\D/g, '');
	return digits === '' ? undefined : `+${digits}`;
}
