import type { Message, WebhookBody } from './contract.ts';
import type { AgentSettings } from './settings.ts';
import { addMessage, setStatus } from './store.ts';
import type { Store, Team } from './store.ts';
import { createTimedQueue } from './timedQueue.ts';

/** Runs what an accepted webhook call triggers. */
export interface Agent {
	/** Starts a run; its message appears after the set delay. */
	run(team: Team, body: WebhookBody): void;
	/** Number of runs that have not sent their message yet. */
	pending(): number;
	/** Forgets the runs that are still to come. */
	stop(): void;
}

interface Run {
	team: Team;
	phone: string;
	body: WebhookBody;
}

/** Makes the agent of a store. */
export function createAgent(store: Store, settings: () => AgentSettings): Agent {
	const sent = createTimedQueue(({ team, message }: { team: Team; message: Message }) =>
		setStatus(store, team, message, { status: 'delivered' }),
	);
	const runs = createTimedQueue((run: Run) => {
		const { deliveryMs } = settings();
		const message = send(store, run, deliveryMs === 0 ? 'delivered' : 'sent');
		if (message !== undefined && deliveryMs > 0) {
			sent.push({ team: run.team, message }, deliveryMs);
		}
	});

	return {
		run(team, body) {
			const { enabled, delayMs } = settings();
			const phone = normalizePhone(body.phone ?? '');
			// Interface section "Invoke a webhook": the agent sends only when connected to an inbox.
			if (!enabled || phone === undefined || team.inboxes.length === 0) return;
			runs.push({ team, phone, body }, delayMs);
		},
		pending: runs.pending,
		stop() {
			runs.stop();
			sent.stop();
		},
	};
}

function send(store: Store, { team, phone, body }: Run, status: string): Message | undefined {
	const inbox = team.inboxes[Number(phone.slice(-4)) % team.inboxes.length];
	if (inbox === undefined) return undefined;
	const name = typeof body.firstName === 'string' ? ` ${body.firstName}` : '';
	return addMessage(store, team, {
		inbox,
		phone,
		body: `Hi${name}, thanks for reaching out! When is a good time to talk?`,
		inbound: false,
		status,
		at: Date.now(),
	});
}

/** E.164, as far as digits go; undefined when there are none. */
function normalizePhone(phone: string): string | undefined {
	const digits = phone.replace(/\D/g, '');
	return digits === '' ? undefined : `+${digits}`;
}
