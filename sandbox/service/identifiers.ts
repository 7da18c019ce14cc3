/** What is known of a seeded team beforehand. Identifiers are numbered so that they can be recognised. */
export interface SeededTeam {
	id: string;
	name: string;
	apiKey: string;
	webhookIds: string[];
	agents: Array<{ id: string; versionIds: string[] }>;
}

/** A valid UUID of version 4 that tells what it identifies: the kind, the team and a number. */
function numberedUuid(kind: string, team: number, index: number): string {
	return `${kind}-0000-4000-8000-${String(team).padStart(4, '0')}${String(index).padStart(8, '0')}`;
}

/** So many identifiers of a kind, from a number on. */
function numberedUuids(kind: string, team: number, count: number, from = 1): string[] {
	return Array.from({ length: count }, (_, index) => numberedUuid(kind, team, from + index));
}

/** ID of the inbox with the index (from 0) of a team (from 1). */
export const inboxId = (team: number, index: number) => numberedUuid('1b0c0000', team, index + 1);

/** @param versions how many versions each of its agents has */
function seededTeam(
	number: number,
	name: string,
	apiKey: string,
	webhooks: number,
	versions: number[],
): SeededTeam {
	return {
		id: numberedUuid('7ea00000', number, number),
		name,
		apiKey,
		webhookIds: numberedUuids('3eb00000', number, webhooks),
		agents: versions.map((count, index) => ({
			id: numberedUuid('b1be0000', number, index + 1),
			versionIds: numberedUuids('5e510000', number, count, (index + 1) * 1000 + 1),
		})),
	};
}

/** The seeded teams and tokens, the same at every start. */
export const seeded = {
	/** The team with everything. */
	demo: seededTeam(1, 'Harbour Street Dental', 'demo-key-harbour-street-0001', 4, [5, 3, 2, 4]),
	/** A smaller team, to prove that teams do not see each other. */
	second: seededTeam(2, 'Northfield Cycles', 'demo-key-northfield-cycles-0002', 2, [2]),
	otpTokens: { valid: ['otp-demo-111111', 'otp-demo-222222'], invalid: 'otp-demo-000000' },
};
