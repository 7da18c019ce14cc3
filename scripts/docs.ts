/** Writes docs/reference.md from the fields of the built nodes: `npm run docs`. */
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { referencePage } from './reference.ts';

const ROOT = join(import.meta.dirname, '..');
const NODES = './nodes/MessagingService';

const load = createRequire(join(ROOT, 'dist', 'index.js'));
const { MessagingService } = load(`${NODES}/MessagingService.node.js`);
const { MessagingServiceTrigger } = load(`${NODES}/MessagingServiceTrigger.node.js`);
const { MessagingServicePollingTrigger } = load(`${NODES}/MessagingServicePollingTrigger.node.js`);
const { MessagingServiceApi } = load('./credentials/MessagingServiceApi.credentials.js');

const triggers = [new MessagingServiceTrigger(), new MessagingServicePollingTrigger()];
const page = referencePage({
	action: new MessagingService().description,
	triggers: triggers.map(({ description }) => description),
	credential: new MessagingServiceApi(),
});
await writeFile(join(ROOT, 'docs', 'reference.md'), page);
