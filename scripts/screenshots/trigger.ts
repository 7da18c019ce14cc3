import type { INodeParameters } from 'n8n-workflow';

import type { NodeSketch } from '../../sandbox/n8n/workflows.ts';
import { areaOf, around, type Picture, type Studio } from './studio.ts';

const WEBHOOK = 'f5b7b3a2-5c0e-4d59-8a0b-1f7a5ad0c6f1';
const TEST_PATH = `/webhook-test/${WEBHOOK}/webhook`;

/** Above a field. */
const LABEL = 32;

/** A received message, with some of its fields. */
const EVENT = {
	id: 4201,
	body: 'Are you open on Monday?',
	inbound: true,
	sender: '+15555550142',
};

/** Every setting of a signature, as for a service that signs the time and the body. */
const CUSTOM: INodeParameters = {
	scheme: 'custom',
	signatureHeader: 'X-Service-Signature',
	signature: {
		algorithm: 'sha256',
		encoding: 'base64',
		separator: 'comma',
		prefix: 'v1=',
		signedContent: '{timestamp}.{body}',
		timestampPrefix: 't=',
		tolerance: 300,
	},
};

function triggerNode(studio: Studio, parameters: INodeParameters): NodeSketch {
	return studio.trigger(parameters, { name: 'Messaging Service Trigger', webhookId: WEBHOOK });
}

/** The trigger with an event that came while it waited for one. */
const trigger: Picture = async (studio) => {
	const { editor, n8n, service } = studio;
	const { panel, page } = editor;
	await studio.openPanel([triggerNode(studio, { events: ['message.received'] })]);
	await page.setViewportSize({ width: 1440, height: 1240 });
	await panel.showProductionUrl();
	await service.configure({
		events: {
			subscriptions: [{ url: n8n.url + TEST_PATH }],
			signing: { kind: 'sharedSecret' },
		},
	});
	await panel.start();
	service.emit({ data: EVENT });
	await panel.output.succeeded();
	await panel.output.show('Schema');
	const [main, output, last] = await Promise.all([
		areaOf(panel.main),
		areaOf(panel.output.root),
		areaOf(panel.field('skipDuplicates')),
	]);
	const { height, ...area } = around([main, output]);
	return { ...area, height: Math.min(height, last.y + last.height + 4 - area.y) };
};

/** A call that the trigger refuses while somebody tries it out. */
const refused: Picture = async (studio) => {
	const { editor, n8n } = studio;
	const { panel } = editor;
	await studio.openPanel([
		triggerNode(studio, { verification: 'signature', signatureHeader: 'X-Hub-Signature-256' }),
	]);
	await panel.start();
	await fetch(n8n.url + TEST_PATH, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-signature': 'sha256=0a1b2c' },
		body: JSON.stringify({ data: EVENT }),
	});
	await panel.output.errorMessage.waitFor();
	const area = await studio.panelArea();
	const { y } = await areaOf(panel.field('ignoreOutbound'));
	return { ...area, height: y - LABEL - area.y };
};

/** The settings of a way to sign, from the field Verification to the next field. */
function signature(parameters: INodeParameters): Picture {
	return async (studio) => {
		const { panel } = studio.editor;
		await studio.openPanel([triggerNode(studio, { verification: 'signature', ...parameters })]);
		await studio.panelArea();
		const [main, first, heading] = await Promise.all([
			areaOf(panel.main),
			areaOf(panel.field('verification')),
			areaOf(panel.fields.getByText('Registration', { exact: true }).first()),
		]);
		const y = first.y - LABEL;
		return { ...main, y, height: heading.y - y };
	};
}

/** Pictures of the trigger, by the name of their file. */
export const triggerPictures: Record<string, Picture> = {
	trigger,
	'trigger-refused': refused,
	'signature-custom': signature(CUSTOM),
};
