import type { INodeParameters } from 'n8n-workflow';

import { seeded } from '../../sandbox/service/service.ts';
import type { Area } from './area.ts';
import type { Picture, Studio } from './studio.ts';

type View = 'Schema' | 'Table';

const [webhookId = ''] = seeded.demo.webhookIds;
const [pipeline = { id: '', versionIds: [] }] = seeded.demo.pipelines;
const versionId = pipeline.versionIds.at(-1) ?? '';

/** An operation's fields with sensible values, and what came out of it. */
function operation(parameters: INodeParameters, view: View = 'Schema'): Picture {
	return async ({ editor: { panel }, node, openPanel, panelArea }) => {
		await openPanel([node({ parameters })]);
		return await runAndShow(view, panel, panelArea);
	};
}

async function runAndShow(
	view: View,
	panel: Studio['editor']['panel'],
	panelArea: Studio['panelArea'],
): Promise<Area> {
	await panel.execute();
	await panel.output.succeeded();
	await panel.output.show(view);
	return await panelArea();
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });

const chosen = (value: string, cachedResultName: string) => ({
	__rl: true,
	mode: 'list',
	value,
	cachedResultName,
});

const field = (name: string, value: string) => ({ id: name, name, value, type: 'string' });

/** A picture of every operation, by the name of its file. */
export const operationPictures: Record<string, Picture> = {
	'agent-invoke-webhook': operation({
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: byId(webhookId),
		phone: '+15555550142',
		payloadFields: {
			assignments: [field('firstName', 'Ada'), field('topic', 'a first appointment')],
		},
	}),
	'agent-version-create': operation({
		resource: 'pipelineVersion',
		operation: 'create',
		pipelineId: byId(pipeline.id),
		schema: '{\n  "nodes": [],\n  "edges": []\n}',
		additionalFields: { versionName: 'Friendlier greeting' },
	}),
	'agent-version-update': operation({
		resource: 'pipelineVersion',
		operation: 'update',
		pipelineId: byId(pipeline.id),
		versionId,
		name: 'Shorter greeting',
	}),
	'inbox-create-external': operation({
		resource: 'inbox',
		operation: 'createExternal',
		name: 'Website chat',
	}),
	'inbox-get-many': operation({ resource: 'inbox', operation: 'getAll', returnAll: true }, 'Table'),
	'message-get-many': operation({
		resource: 'message',
		operation: 'getAll',
		returnAll: true,
		filters: {
			after: '2026-03-01T00:00:00',
			inboxIds: [chosen(seeded.demo.inboxIds[1] ?? '', 'Support New Neva')],
		},
	}),
	'message-template-fill-in': async ({ editor: { panel }, node, openPanel, panelArea }) => {
		await openPanel([node({ parameters: { resource: 'messageTemplate', operation: 'render' } })]);
		await panel.pickFromList('templateId', 'follow', 'Lead follow-up');
		await panel.fill('firstName', 'Ada');
		await panel.fill('topic', 'a first appointment');
		await panel.fill('time', '2 pm');
		return await runAndShow('Schema', panel, panelArea);
	},
	'message-template-get-many': operation({
		resource: 'messageTemplate',
		operation: 'getAll',
		returnAll: true,
	}),
	'one-time-password-verify': operation({
		resource: 'otp',
		operation: 'verify',
		token: seeded.otpTokens.valid[0] ?? '',
	}),
	'user-create': operation({
		resource: 'user',
		operation: 'create',
		email: 'ada@example.com',
		firstName: 'Ada',
		lastName: 'Lovelace',
	}),
};
