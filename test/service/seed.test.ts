import { seeded, seedStore } from '../../sandbox/service/seed.ts';

const now = new Date('2026-03-01T12:00:00Z');
const demoOf = (options: Parameters<typeof seedStore>[0]) => {
	const team = seedStore(options).teams.get(seeded.demo.apiKey);
	if (team === undefined) throw new Error('No demo team');
	return team;
};

test('makes the same data for the same options', () => {
	expect(seedStore({ now })).toEqual(seedStore({ now }));
});

test('has the announced identifiers', () => {
	const team = demoOf({ now });
	expect(team.inboxes.map(({ id }) => id)).toEqual(seeded.demo.inboxIds);
	expect([...team.webhooks.keys()]).toEqual(seeded.demo.webhookIds);
	for (const { id, versionIds } of seeded.demo.pipelines) {
		expect(team.pipelines.get(id)?.versions.map((version) => version.id)).toEqual(versionIds);
	}
});

test('has messages of the last 14 days, sorted, with increasing IDs', () => {
	const { messages } = demoOf({ now });
	expect(messages).toHaveLength(3000);
	const times = messages.map(({ at }) => at);
	expect(times).toEqual([...times].sort((a, b) => a - b));
	expect(times[0]).toBeGreaterThan(now.getTime() - 14 * 24 * 60 * 60 * 1000);
	expect(times.at(-1)).toBeLessThan(now.getTime());
	expect(new Set(messages.map(({ message }) => message.id)).size).toBe(3000);
});

test('uses reserved phone numbers only', () => {
	const { inboxes, messages } = demoOf({ now });
	const phones = [
		...inboxes.map(({ phone }) => phone),
		...messages.flatMap((m) => m.message.members),
	];
	expect(phones.filter((phone) => !/^\+155555501\d\d$/.test(phone ?? ''))).toEqual([]);
});

test('makes much data quickly', () => {
	const before = process.cpuUsage();
	const team = demoOf({ now, messages: 50_000, inboxes: 500, templates: 300 });
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 1_000).toBeLessThan(2_000);
	expect(team.messages).toHaveLength(50_000);
	expect(team.inboxes).toHaveLength(500);
	expect(team.templates).toHaveLength(300);
});
