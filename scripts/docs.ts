/** Writes docs/reference from the fields of the built nodes: `npm run docs`. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '..');
const NODES = './nodes/MessagingService';

const load = createRequire(join(ROOT, 'dist', 'index.js'));
const { MessagingService } = load(`${NODES}/MessagingService.node.js`);
const { MessagingServiceTrigger } = load(`${NODES}/MessagingServiceTrigger.node.js`);
const { MessagingServicePollingTrigger } = load(`${NODES}/MessagingServicePollingTrigger.node.js`);
const { MessagingServiceApi } = load('./credentials/MessagingServiceApi.credentials.js');

const triggers = [new MessagingServiceTrigger(), new MessagingServicePollingTrigger()];
const pages = referencePages({
	action: new MessagingService().description,
	triggers: triggers.map(({ description }) => description),
	credential: new MessagingServiceApi(),
});
const folder = join(ROOT, 'docs', 'reference');
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
for (const [file, page] of Object.entries(pages)) await writeFile(join(folder, file), page);
