import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { seeded } from '../../sandbox/service/service.ts';
import { type Area } from './area.ts';
import type { Picture, Studio } from './studio.ts';

type View = 'Schema' | 'Table';

const [webhookId = ''] = seeded.demo.webhookIds;
const [pipeline = { id: '', versionIds: [] }] = seeded.demo.pipelines;
/** What a small agent may look like. */
const SCHEMA = {
	nodes: [
		{ id: 'trigger', type: 'webhook' },
		{ id: 'greeting', type: 'message', text: 'Hi {{firstName}}!' },
	],
	edges: [{ from: 'trigger', to: 'greeting' }],
};
const versionId = pipeline.versionIds.at(-1) ?? '';

/** An operation's fields with sensible values, and what came out of it. */
function operation(parameters: INodeParameters, view: View = 'Schema'): Picture {
	return async ({ editor: { panel }, node, openPanel, panelArea }) => {
		await openPanel([node({ parameters })]);
		return await runAndShow(view, panel, panelArea);
	};
}

/** An agent that is started, with the address of its webhook as one pastes it. */
const start: Picture = async (studio) => {
	const value = `${studio.service.url}/public/pipelines/webhook/${webhookId}`;
	const picture = operation({
		resource: 'pipeline',
		operation: 'invokeWebhook',
		webhookId: { __rl: true, mode: 'url', value },
		phone: '+15555550142',
		payloadFields: {
			assignments: [field('firstName', 'Ada'), field('topic', 'a first appointment')],
		},
	});
	return await picture(studio);
};

/** The step that waits, with the reply that came in the meantime. */
const waitForReply: Picture = async (studio) => {
	const { service, editor } = studio;
	const phone = '+15555550142';
	const parameters = { resource: 'message', operation: 'waitForReply', phone };
	await studio.openPanel([studio.node({ parameters })]);
	await editor.panel.start();
	while (service.received().length === 0) await sleep(100);
	await sleep(300);
	service.receiveMessage({ phone, body: 'Yes, Monday at 2 pm is fine' });
	await editor.panel.output.succeeded();
	await editor.panel.output.show('Schema');
	return await studio.panelArea();
};

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

const field = (name: string, value: string) => ({ id: name, name, value, type: 'string' });

/** A picture of every operation, by the name of its file. */
export const operationPictures: Record<string, Picture> = {
	'agent-start': start,
	'agent-version-create': operation({
		resource: 'pipelineVersion',
		operation: 'create',
		pipelineId: byId(pipeline.id),
		schema: JSON.stringify(SCHEMA, null, 2),
		additionalFields: { versionName: 'Friendlier greeting' },
	}),
	'agent-version-rename': operation({
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
		filters: { after: '2026-02-01T00:00:00', direction: 'outbound', status: 'failed' },
	}),
	'message-wait-for-reply': waitForReply,
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
