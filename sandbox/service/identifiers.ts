/** What is known of a seeded team beforehand. Identifiers are numbered so that they can be recognised. */
export interface SeededTeam {
	id: string;
	name: string;
	apiKey: string;
	webhookIds: string[];
	/** The first of the inboxes; with other counts, `inboxId(team, index)` names any. */
	inboxIds: string[];
	pipelines: Array<{ id: string; versionIds: string[] }>;
}

interface Shape {
	number: number;
	name: string;
	apiKey: string;
	webhooks: number;
	inboxes: number;
	/** Number of versions of each pipeline. */
	pipelines: number[];
}

/** A valid UUID of version 4 that tells what it identifies: the kind, the team and a number. */
function numberedUuid(kind: string, team: number, index: number): string {
	return `${kind}-0000-4000-8000-${String(team).padStart(4, '0')}${String(index).padStart(8, '0')}`;
}

/** ID of the inbox with the index (from 0) of a team (from 1). */
export const inboxId = (team: number, index: number) => numberedUuid('1b0c0000', team, index + 1);

/** ID of the version with the index (from 0) of a team's pipeline (from 0). */
const versionId = (team: number, pipeline: number, index: number) =>
	numberedUuid('5e510000', team, (pipeline + 1) * 1000 + index + 1);

function seededTeam(shape: Shape): SeededTeam {
	const { number, name, apiKey } = shape;
	return {
		id: numberedUuid('7ea00000', number, number),
		name,
		apiKey,
		webhookIds: Array.from({ length: shape.webhooks }, (_, index) =>
			numberedUuid('3eb00000', number, index + 1),
		),
		inboxIds: Array.from({ length: shape.inboxes }, (_, index) => inboxId(number, index)),
		pipelines: shape.pipelines.map((versions, pipeline) => ({
			id: numberedUuid('b1be0000', number, pipeline + 1),
			versionIds: Array.from({ length: versions }, (_, index) =>
				versionId(number, pipeline, index),
			),
		})),
	};
}

/** The seeded teams and tokens, the same at every start. */
export const seeded = {
	/** The team with everything. */
	demo: seededTeam({
		number: 1,
		name: 'Harbour Street Dental',
		apiKey: 'demo-key-harbour-street-0001',
		webhooks: 4,
		inboxes: 36,
		pipelines: [5, 3, 2, 4],
	}),
	/** A smaller team, to prove that teams do not see each other. */
	second: seededTeam({
		number: 2,
		name: 'Northfield Cycles',
		apiKey: 'demo-key-northfield-cycles-0002',
		webhooks: 2,
		inboxes: 5,
		pipelines: [2],
	}),
	otpTokens: { valid: ['otp-demo-111111', 'otp-demo-222222'], invalid: 'otp-demo-000000' },
};
