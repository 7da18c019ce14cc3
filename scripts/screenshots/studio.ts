import { join } from 'node:path';

import {
	createCredential,
	CREDENTIAL_TYPE,
	type CredentialReference,
} from '../../sandbox/n8n/credentials.ts';
import { startN8n, type N8n } from '../../sandbox/n8n/index.ts';
import { ACTION_TYPE } from '../../sandbox/n8n/nodeTypes.ts';
import { ROOT } from '../../sandbox/n8n/paths.ts';
import {
	chain,
	createWorkflow,
	START,
	type NodeSketch,
	type StoredWorkflow,
} from '../../sandbox/n8n/workflows.ts';
import { seeded, startService, type Service } from '../../sandbox/service/service.ts';
import { openEditor, type Editor } from '../../test/browser/editor/editor.ts';
import { areaOf, around, type Area } from './area.ts';
import { retouch } from './retouch.ts';

export const IMAGES = join(ROOT, 'docs', 'images');

const WIDTH = 1440;
const HEIGHT = 820;
/** Crisp on good screens, and still small files. */
const SCALE = 1.6;
const LEAST_HEIGHT = 560;
const PADDING = 24;
/** Of the panel, behind which one sees the canvas. */
const ROUND_CORNER = 8;

/** Where n8n says that it is. */
const N8N_ADDRESS = 'https://n8n.example.com';

/** Dates in the pictures stay the same. */
const NOW = new Date('2026-03-02T09:00:00Z');

/** Sets the editor up for a picture, and says which part of the page it shows. */
export type Picture = (studio: Studio) => Promise<Area>;

/** A real n8n with the stand-in for the service, and a browser with a camera. */
export interface Studio {
	editor: Editor;
	n8n: N8n;
	service: Service;
	credential: CredentialReference;
	/** A node of this package, connected to the stand-in. */
	node(sketch: Partial<NodeSketch>): NodeSketch;
	/** Stores these nodes in a row, with a manual trigger before them. */
	store(nodes: NodeSketch[]): Promise<StoredWorkflow>;
	/** Stores these nodes and opens the panel of the last. */
	openPanel(nodes: NodeSketch[]): Promise<void>;
	/** The fields and the output of the open panel, as high as its fields. */
	panelArea(): Promise<Area>;
	/** Takes a picture, and gives the path of its file. */
	take(name: string, picture: Picture): Promise<string>;
	stop(): Promise<void>;
}

/** Makes the window as high as the fields of the open panel need it, and what came out. */
async function fitPanel({ page, panel }: Editor): Promise<void> {
	const missing = await panel.fields.evaluate((fields) => {
		const bottoms = Array.from(fields.children)
			.filter((child) => child.getAttribute('data-test-id') !== 'node-feature-request')
			.map((child) => child.getBoundingClientRect().bottom);
		return Math.max(...bottoms) - fields.getBoundingClientRect().bottom;
	});
	const height = Math.max(Math.round(HEIGHT + missing + PADDING), LEAST_HEIGHT);
	await page.setViewportSize({ width: WIDTH, height });
	const overflow = await panel.output.overflow();
	await page.setViewportSize({ width: WIDTH, height: height + overflow });
}

/** Starts all that is needed; to be stopped when the pictures are taken. */
export async function startStudio(): Promise<Studio> {
	const stops: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (const each of stops.reverse()) await each();
	};
	try {
		const service = await startService({ now: NOW, inboxes: 6 });
		stops.push(() => service.close());
		const n8n = await startN8n({
			env: {
				// Its buttons would be in every picture, and few people have them.
				N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,chat-hub',
				WEBHOOK_URL: N8N_ADDRESS,
			},
		});
		stops.push(() => n8n.close());
		const credential = await createCredential(n8n.rest, {
			name: 'Messaging Service account',
			type: CREDENTIAL_TYPE,
			data: {
				baseUrl: service.url,
				apiKey: seeded.demo.apiKey,
				webhookSecret: 'demo-webhook-secret',
			},
		});
		const editor = await openEditor(n8n.url, { width: WIDTH, height: HEIGHT, scale: SCALE });
		stops.push(() => editor.close());
		return build({ service, n8n, credential, editor, stop });
	} catch (error) {
		await stop();
		throw error;
	}
}

function build(parts: Pick<Studio, 'service' | 'n8n' | 'credential' | 'editor' | 'stop'>): Studio {
	const { service, n8n, credential, editor } = parts;
	const { page, panel } = editor;
	const studio: Studio = {
		...parts,
		node: (sketch) => ({
			name: 'Messaging Service',
			type: ACTION_TYPE,
			credentials: { [CREDENTIAL_TYPE]: { ...credential } },
			...sketch,
		}),
		store: (nodes) => createWorkflow(n8n.rest, chain('Picture', [START, ...nodes])),
		async openPanel(nodes) {
			const workflow = await studio.store(nodes);
			await editor.openNode(workflow.id, workflow.nodes.at(-1)?.id ?? '');
		},
		async panelArea() {
			await fitPanel(editor);
			const [fields, output] = await Promise.all([areaOf(panel.main), areaOf(panel.output.root)]);
			const { height, ...area } = around([fields, output]);
			return { ...area, height: height - ROUND_CORNER };
		},
		async take(name, picture) {
			await service.reset();
			await page.setViewportSize({ width: WIDTH, height: HEIGHT });
			const clip = await picture(studio);
			await retouch(page, service.url);
			const path = join(IMAGES, `${name}.png`);
			await page.screenshot({ path, clip });
			return path;
		},
	};
	return studio;
}
