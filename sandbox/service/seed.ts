import type { Message } from './contract.ts';
import { inboxId, seeded, type SeededTeam } from './identifiers.ts';
import { createMessage, type Announce, type Store, type Team } from './store.ts';
import { templateSeeds } from './templates.ts';

/** How much the demo team has. */
export interface SeedCounts {
	/** Spread over the 14 days before "now". */
	messages: number;
	/** Phone numbers repeat after 100, more are not reserved for fiction. */
	inboxes: number;
	templates: number;
}

const messageDays = 14;
const dayMs = 24 * 60 * 60 * 1000;

const areas = ['Sales', 'Support', 'Front desk', 'Billing', 'Scheduling'];
const cities = ['Ashford', 'Brookfield', 'Clearwater', 'Dunmore', 'Eastport', 'Fairview'];

const questions = [
	'Yes please!',
	'Not now, thank you.',
	'Thanks, that works for me 👍',
	'Hi, this is Maria. Are you open on Tuesday?',
	'How much is the whitening set?',
	'Can we move it to Friday instead?',
	"I'd like to talk about the offer for 12 Harbour Street.",
];

const replies = [
	'You are all set. See you then!',
	'Sure, what time suits you best?',
	'Hi Sam, thanks for getting in touch! How can we help?',
	'We have a free slot on Monday. Shall I book it for you?',
	'Your order K7Q2M9XA is ready.',
	'The price is $49.00, including delivery.',
];

/** Makes the data of all teams around the time `now`, the same for the same arguments. */
export function seedStore(demo: SeedCounts, now: Date, announce: Announce): Store {
	const store: Store = {
		teams: new Map(),
		validOtpTokens: new Set(seeded.otpTokens.valid),
		nextMessageId: 1001,
		announce,
	};
	const seedTeam = (number: number, known: SeededTeam, counts: SeedCounts) => {
		const team = createTeam(known);
		addInboxes(team, number, counts.inboxes);
		addTemplates(team, number, counts.templates, now.getTime());
		addAgents(team, known, now.getTime());
		addMessages(store, team, counts.messages, now.getTime());
		store.teams.set(team.apiKey, team);
	};
	seedTeam(1, seeded.demo, demo);
	seedTeam(2, seeded.second, { messages: 200, inboxes: 5, templates: 6 });
	return store;
}

/** A number from 0 to 1 that looks random, the same for the same arguments. */
function random(index: number, purpose: number): number {
	const sine = Math.sin(index * 12.9898 + purpose * 78.233) * 43_758.5453;
	return sine - Math.floor(sine);
}

/** An entry of a list, by a number from 0 to 1. */
function pick<Entry>(list: readonly Entry[], at: number): Entry | undefined {
	return list[Math.floor(at * list.length)];
}

function createTeam({ id, name, apiKey, webhookIds }: SeededTeam): Team {
	return {
		id,
		name,
		apiKey,
		inboxes: [],
		messages: [],
		templates: [],
		agents: new Map(),
		webhookIds: new Set(webhookIds),
		users: new Map(),
		subscriptions: new Map(),
	};
}

/** Numbers from +1 555 555 0100 to 0199: 555-01xx is reserved for fiction in every area. */
function fictionalPhone(index: number): string {
	return `+155555501${String(index % 100).padStart(2, '0')}`;
}

function addInboxes(team: Team, teamNumber: number, count: number): void {
	for (let index = 0; index < count; index++) {
		team.inboxes.push({
			id: inboxId(teamNumber, index),
			name: `${areas[index % areas.length]} ${cities[index % cities.length]} ${index + 1}`,
			phone: fictionalPhone(index),
		});
	}
}

function addTemplates(team: Team, teamNumber: number, count: number, now: number): void {
	for (let index = 0; index < count; index++) {
		const { name, body } = templateSeeds[index % templateSeeds.length] ?? { name: '', body: '' };
		const round = Math.floor(index / templateSeeds.length) + 1;
		const age = (1 + random(index, 1) * 364) * dayMs;
		team.templates.push({
			id: teamNumber * 10_000 + index + 1,
			teamId: team.id,
			name: round === 1 ? name : `${name} (${round})`,
			body,
			type: 'sms',
			isPersonal: index % 7 === 6,
			attachmentIds: [],
			created: new Date(now - age).toISOString(),
			updated: new Date(now - age * random(index, 2)).toISOString(),
			userId: `user-${teamNumber}-${(index % 3) + 1}`,
			externalId: `template-${teamNumber}-${index + 1}`,
		});
	}
}

function addAgents(team: Team, { agents }: SeededTeam, now: number): void {
	for (const { id: pipelineId, versionIds } of agents) {
		const live = versionIds.length - 1;
		const versions = versionIds.map((id, index) => {
			const name = index % 2 === 0 ? `Version of ${cities[index % cities.length]}` : null;
			return {
				id,
				number: index + 1,
				pipelineId,
				schema: { nodes: [{ id: 'trigger', type: 'webhook' }], edges: [] },
				isLatestLive: index === live,
				name,
				pipelineOptions: { language: 'en' },
				versionId: id,
				versionNumber: index + 1,
				versionName: name,
				madeLiveAt: index === live ? new Date(now - 9 * dayMs).toISOString() : null,
			};
		});
		team.agents.set(pipelineId, versions);
	}
}

function addMessages(store: Store, team: Team, count: number, now: number): void {
	if (team.inboxes.length === 0) return;
	// The newest is a minute old, so that messages made after the start are newer.
	const end = now - 60_000;
	const gap = (messageDays * dayMs - 60_000) / count;
	for (let index = 0; index < count; index++) {
		const inbound = random(index, 3) < 0.55;
		const at = Math.floor(end - (count - index - random(index, 4)) * gap);
		const message = createMessage(store.nextMessageId++, team, {
			inbox: pick(team.inboxes, random(index, 5)) ?? {},
			phone: fictionalPhone(99 - Math.floor(random(index, 6) * 64)),
			body: pick(inbound ? questions : replies, random(index, 7)) ?? '',
			inbound,
			at,
		});
		if (!inbound) {
			message.sentByName = 'Ada Moore';
			message.userId = 'user-1';
			if (random(index, 9) < 0.02) markFailed(message);
		}
		team.messages.push({ at, message });
	}
}

function markFailed(message: Message): void {
	message.status = 'failed';
	message.error = 'The carrier rejected the message.';
	message.errorCode = 30_007;
}
