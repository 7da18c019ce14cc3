/** Writes the pages in docs/reference from the fields of the built nodes: `npm run docs`. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { referencePages } from './docs/reference.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = join(ROOT, 'docs/reference');

const load = createRequire(join(ROOT, 'dist', 'index.js'));
const { MessagingService } = load('./nodes/MessagingService/MessagingService.node.js');
const { MessagingServiceTrigger } = load(
	'./nodes/MessagingService/MessagingServiceTrigger.node.js',
);
const { MessagingServicePollingTrigger } = load(
	'./nodes/MessagingService/MessagingServicePollingTrigger.node.js',
);
const { MessagingServiceApi } = load('./credentials/MessagingServiceApi.credentials.js');

await rm(PAGES, { recursive: true, force: true });
await mkdir(PAGES, { recursive: true });
const pages = referencePages({
	action: new MessagingService().description,
	trigger: new MessagingServiceTrigger().description,
	polling: new MessagingServicePollingTrigger().description,
	credential: new MessagingServiceApi(),
});
for (const [file, text] of pages) await writeFile(join(PAGES, file), text);
console.log(`${pages.size} pages written to docs/reference`);
