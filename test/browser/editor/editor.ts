import type { Browser, BrowserContext, Page } from 'playwright-core';

import type { N8n } from '../../../sandbox/n8n/index.ts';
import { Canvas } from './canvas.ts';
import { launchChromium } from './chromium.ts';
import { CredentialDialog } from './credentialDialog.ts';
import { NodeCreator } from './nodeCreator.ts';
import { NodePanel } from './nodePanel.ts';

/** A step that the editor has not taken by then will not come. */
const STEP_TIMEOUT_MS = 30_000;

export interface EditorOptions {
	width?: number;
	height?: number;
	/** Pixels of the picture for each pixel of the page. */
	scale?: number;
}

/** An n8n, and who may log in there. */
type Site = Pick<N8n, 'url' | 'owner'>;

/** n8n's editor in a browser, as its users see it. */
export class Editor {
	readonly page: Page;
	readonly canvas: Canvas;
	readonly nodeCreator: NodeCreator;
	readonly panel: NodePanel;
	readonly credential: CredentialDialog;
	private readonly url: string;
	private readonly browser: Browser;

	constructor(browser: Browser, page: Page, url: string) {
		this.browser = browser;
		this.page = page;
		this.url = url;
		this.canvas = new Canvas(page);
		this.nodeCreator = new NodeCreator(page);
		this.panel = new NodePanel(page);
		this.credential = new CredentialDialog(page);
	}

	/** Opens a new workflow, and gives its identifier. */
	async newWorkflow(): Promise<string> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.canvas.ready();
		return new URL(this.page.url()).pathname.split('/')[2] ?? '';
	}

	async openWorkflow(id: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${id}`);
		await this.canvas.ready();
	}

	/** Opens a workflow with the panel of one of its nodes. */
	async openNode(workflowId: string, nodeId: string): Promise<void> {
		await this.page.goto(`${this.url}/workflow/${workflowId}/${nodeId}`);
		await this.panel.ready();
	}

	async close(): Promise<void> {
		await this.browser.close();
	}
}

async function logIn(page: Page, { url, owner }: Site): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
	await page.locator('input[name="password"]').fill(owner.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
}

function newContext(
	browser: Browser,
	{ width = 1440, height = 900, scale = 1 }: EditorOptions,
): Promise<BrowserContext> {
	return browser.newContext({
		viewport: { width, height },
		deviceScaleFactor: scale,
		locale: 'en-US',
		timezoneId: 'UTC',
		reducedMotion: 'reduce',
	});
}

/** Opens a browser and logs in to n8n. */
export async function openEditor(site: Site, options: EditorOptions = {}): Promise<Editor> {
	const browser = await launchChromium();
	try {
		const context = await newContext(browser, options);
		context.setDefaultTimeout(STEP_TIMEOUT_MS);
		const page = await context.newPage();
		await logIn(page, site);
		return new Editor(browser, page, site.url);
	} catch (error) {
		await browser.close();
		throw error;
	}
}
