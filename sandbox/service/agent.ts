import type { WebhookBody } from './contract.ts';
import type { AgentSettings } from './settings.ts';
import { addMessage } from './store.ts';
import type { Store, Team } from './store.ts';

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
	due: number;
	team: Team;
	phone: string;
	body: WebhookBody;
}

/**
 * Makes the agent of a store. Runs wait in one queue with one timer, since thousands of calls a second
 * would otherwise mean as many timers.
 */
export function createAgent(store: Store, settings: () => AgentSettings): Agent {
	const queue: Run[] = [];
	let timer: NodeJS.Timeout | undefined;

	const work = () => {
		timer = undefined;
		const now = Date.now();
		const firstLater = queue.findIndex(({ due }) => due > now);
		const due = queue.splice(0, firstLater === -1 ? queue.length : firstLater);
		for (const run of due) send(store, run);
		schedule();
	};
	const schedule = () => {
		const [first] = queue;
		if (first === undefined || timer !== undefined) return;
		timer = setTimeout(work, Math.max(1, first.due - Date.now())).unref();
	};

	return {
		run(team, body) {
			const { enabled, delayMs } = settings();
			const phone = normalizePhone(body.phone ?? '');
			// Interface section "Invoke a webhook": the agent sends only when connected to an inbox.
			if (!enabled || phone === undefined || team.inboxes.length === 0) return;
			queue.push({ due: Date.now() + delayMs, team, phone, body });
			schedule();
		},
		pending: () => queue.length,
		stop() {
			clearTimeout(timer);
			timer = undefined;
			queue.length = 0;
		},
	};
}

function send(store: Store, { team, phone, body }: Run): void {
	const inbox = team.inboxes[Number(phone.slice(-4)) % team.inboxes.length];
	if (inbox === undefined) return;
	const name = typeof body.firstName === 'string' ? ` ${body.firstName}` : '';
	addMessage(store, team, {
		inbox,
		phone,
		body: `Hi${name}, thanks for reaching out! When is a good time to talk?`,
		inbound: false,
		at: Date.now(),
	});
}

/** E.164, as far as digits go; undefined when there are none. */
function normalizePhone(phone: string): string | undefined {
	const digits = phone.replace(/\D/g, '');
	return digits === '' ? undefined : `+${digits}`;
}
