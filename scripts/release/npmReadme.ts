// Rewrites README.md for npm's page, where links to other files of the repository lead nowhere:
// `node npmReadme.ts <tag>`. It needs nothing installed but Node.js 24.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { withAbsoluteLinks } from './links.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const README = join(ROOT, 'README.md');

const [tag] = process.argv.slice(2);
if (!tag) throw new Error('Usage: node npmReadme.ts <tag>');
const { repository } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
await writeFile(README, withAbsoluteLinks(await readFile(README, 'utf8'), repository.url, tag));
