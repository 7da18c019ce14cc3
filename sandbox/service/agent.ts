import type { WebhookBody } from './contract.ts';
import type { AgentSettings } from './settings.ts';
import { addMessage, type Store, type Team } from './store.ts';
import { createTimers } from './timers.ts';

/** Runs what an accepted webhook call triggers. */
export interface Agent {
	/** Starts a run; its message appears after the set delay. */
	run(team: Team, body: WebhookBody): void;
	/** Forgets the runs that are still to come. */
	stop(): void;
}

/** Makes the agent of a store. */
export function createAgent(store: Store, settings: () => AgentSettings): Agent {
	const timers = createTimers();
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
			const { enabled, delayMs } = settings();
			const phone = normalizePhone(body.phone ?? '');
			// Interface section "Invoke a webhook": the agent sends only when connected to an inbox.
			if (!enabled || phone === undefined || team.inboxes.length === 0) return;
			timers.after(delayMs, () => answer(team, phone, body));
		},
		stop: timers.stop,
	};
}

/** E.164, as far as digits go; undefined when there are none. */
function normalizePhone(phone: string): string | undefined {
	const digits = phone.replace(/\D/g, '');
	return digits === '' ? undefined : `+${digits}`;
}
