import { Faker, en } from '@faker-js/faker';
import type { Static } from 'typebox';

import type { Message } from './contract.ts';
import { inboxId, seeded, type SeededTeam } from './identifiers.ts';
import { closed, count } from './schema.ts';
import { createMessage, type Announce, type Pipeline, type Store, type Team } from './store.ts';
import { templateSeeds } from './templates.ts';

export { inboxId } from './identifiers.ts';

/** How much the demo team has. */
export const seedSchema = closed({
	/** Spread over the 14 days before `now`. */
	messages: count(3000),
	/** Phone numbers repeat after 100, more are not reserved for fiction. */
	inboxes: count(36),
	templates: count(48),
});

export type SeedCounts = Static<typeof seedSchema>;

const fakerSeed = 20_260_101;
const messageDays = 14;
const dayMs = 24 * 60 * 60 * 1000;

/** Makes the data of all teams around the time `now`, the same for the same arguments. */
export function seedStore(demo: SeedCounts, now: Date, announce: Announce): Store {
	const faker = new Faker({ locale: [en], seed: fakerSeed });
	faker.setDefaultRefDate(now);
	const store: Store = {
		teams: new Map(),
		validOtpTokens: new Set(seeded.otpTokens.valid),
		nextMessageId: 1001,
		announce,
	};
	const seedTeam = (number: number, known: SeededTeam, counts: SeedCounts) => {
		const team = createTeam(known);
		addInboxes(faker, team, number, counts.inboxes);
		addTemplates(faker, team, number, counts.templates);
		addPipelines(faker, team, known);
		addMessages(store, team, counts.messages, now.getTime());
		store.teams.set(team.apiKey, team);
	};
	seedTeam(1, seeded.demo, demo);
	seedTeam(2, seeded.second, { messages: 200, inboxes: 5, templates: 6 });
	seedTeam(3, seeded.empty, { messages: 0, inboxes: 0, templates: 0 });
	return store;
}

function createTeam({ id, name, apiKey, webhookIds }: SeededTeam): Team {
	return {
		id,
		name,
		apiKey,
		inboxes: [],
		messages: [],
		templates: [],
		pipelines: new Map(),
		webhooks: new Map(
			webhookIds.map((webhookId, index) => [
				webhookId,
				{ id: webhookId, name: `Webhook ${index + 1}` },
			]),
		),
		users: new Map(),
		conversations: new Map(),
		subscriptions: new Map(),
	};
}

/** Numbers from +1 555 555 0100 to 0199: 555-01xx is reserved for fiction in every area. */
function fictionalPhone(index: number): string {
	return `+155555501${String(index % 100).padStart(2, '0')}`;
}

function addInboxes(faker: Faker, team: Team, teamNumber: number, count: number): void {
	for (let index = 0; index < count; index++) {
		const area = ['Sales', 'Support', 'Front desk', 'Billing', 'Scheduling'][index % 5];
		team.inboxes.push({
			id: inboxId(teamNumber, index),
			name: `${area} ${faker.location.city()}`,
			phone: fictionalPhone(index),
		});
	}
}

function addTemplates(faker: Faker, team: Team, teamNumber: number, count: number): void {
	for (let index = 0; index < count; index++) {
		const { name, body } = templateSeeds[index % templateSeeds.length] ?? { name: '', body: '' };
		const round = Math.floor(index / templateSeeds.length) + 1;
		const created = faker.date.past({ years: 1 });
		team.templates.push({
			id: teamNumber * 10_000 + index + 1,
			teamId: team.id,
			name: round === 1 ? name : `${name} (${round})`,
			body,
			type: 'sms',
			isPersonal: index % 7 === 6,
			attachmentIds: [],
			created: created.toISOString(),
			updated: faker.date.between({ from: created, to: faker.defaultRefDate() }).toISOString(),
			userId: `user-${teamNumber}-${(index % 3) + 1}`,
			externalId: `template-${teamNumber}-${index + 1}`,
		});
	}
}

function addPipelines(faker: Faker, team: Team, { pipelines }: SeededTeam): void {
	for (const { id: pipelineId, versionIds } of pipelines) {
		const live = versionIds.length - 1;
		const pipeline: Pipeline = {
			id: pipelineId,
			versions: versionIds.map((id, index) => {
				const name = index % 2 === 0 ? faker.commerce.productAdjective() : null;
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
					madeLiveAt: index === live ? faker.date.recent({ days: 30 }).toISOString() : null,
				};
			}),
		};
		team.pipelines.set(pipelineId, pipeline);
	}
}

let pools: ReturnType<typeof fillPools> | undefined;

/**
 * Texts and random numbers for messages. They are made once for all: calling faker for every message would take many
 * seconds for 50,000, and filling the pools for every start would take longer than all else.
 */
function fillPools() {
	const faker = new Faker({ locale: [en], seed: fakerSeed });
	const makeTexts = (kinds: typeof questions) =>
		faker.helpers.multiple(() => faker.helpers.arrayElement(kinds)(faker), { count: 200 });
	return {
		texts: { inbound: makeTexts(questions), outbound: makeTexts(replies) },
		agents: faker.helpers.multiple(() => faker.person.fullName(), { count: 5 }),
		randoms: faker.helpers.multiple(() => faker.number.int({ max: 9999 }), { count: 4999 }),
	};
}

function addMessages(store: Store, team: Team, count: number, now: number): void {
	if (count === 0 || team.inboxes.length === 0) return;
	const { texts, agents, randoms } = (pools ??= fillPools());
	/** A number from 0 to 9999; each purpose walks through the pool with steps of its own. */
	const random = (index: number, step: number) => randoms[(index * step) % randoms.length] ?? 0;

	// The newest is a minute old, so that messages made after the start are newer.
	const end = now - 60_000;
	const gap = (messageDays * dayMs - 60_000) / count;
	for (let index = 0; index < count; index++) {
		const inbound = random(index, 3) % 100 < 55;
		const pool = inbound ? texts.inbound : texts.outbound;
		const at = Math.floor(end - (count - index - random(index, 11) / 10_000) * gap);
		const message = createMessage(store.nextMessageId++, team, {
			inbox: team.inboxes[random(index, 5) % team.inboxes.length] ?? {},
			phone: fictionalPhone(99 - (random(index, 7) % 64)),
			body: pool[random(index, 13) % pool.length] ?? '',
			inbound,
			at,
		});
		if (!inbound) {
			const agent = random(index, 17) % agents.length;
			message.sentByName = agents[agent];
			message.userId = `user-${agent + 1}`;
			if (random(index, 19) % 50 === 0) markFailed(message);
			if (random(index, 23) % 10 === 0) markAsCampaign(message);
		}
		team.messages.push({ at, message });
	}
}

function markFailed(message: Message): void {
	message.status = 'failed';
	message.error = 'The carrier rejected the message.';
	message.errorCode = 30_007;
}

function markAsCampaign(message: Message & { id: number }): void {
	message.campaignId = 7001;
	message.campaignMessageId = 700_000 + message.id;
}

const questions: Array<(faker: Faker) => string> = [
	() => 'Yes please!',
	() => 'Not now, thank you.',
	() => 'Thanks, that works for me 👍',
	(faker) => `Hi, this is ${faker.person.firstName()}. Are you open on ${faker.date.weekday()}?`,
	(faker) => `How much is the ${faker.commerce.productName().toLowerCase()}?`,
	(faker) => `Can we move it to ${faker.date.weekday()} instead?`,
	(faker) => `I'd like to talk about the offer for ${faker.location.streetAddress()}.`,
];

const replies: Array<(faker: Faker) => string> = [
	() => 'You are all set. See you then!',
	() => 'Sure, what time suits you best?',
	(faker) => `Hi ${faker.person.firstName()}, thanks for getting in touch! How can we help?`,
	(faker) => `We have a free slot on ${faker.date.weekday()}. Shall I book it for you?`,
	(faker) => `Your order ${faker.string.alphanumeric({ length: 8, casing: 'upper' })} is ready.`,
	(faker) => `The price is ${faker.commerce.price({ symbol: '$' })}, including delivery.`,
];
