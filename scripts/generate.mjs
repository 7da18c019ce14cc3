// Writes what comes from openapi.yaml, the types of the interface and n8n's previews of what the
// operations put out; and what comes from libphonenumber, the table of country codes: `npm run generate`.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import prettier from 'prettier';

import { COUNTRY_CODES, countryCodesModule } from './countryCodes.ts';
import { PREVIEWS, readPreviews } from './previews.ts';
import { ROOT } from './setup/paths.mjs';

const TYPES = 'nodes/MessagingService/api/api.types.ts';

/** Writes a file in the format of the project, unless that is what it holds. */
async function writeFormatted(name, text) {
	const file = join(ROOT, name);
	const options = await prettier.resolveConfig(file);
	await write(name, await prettier.format(text, { ...options, filepath: file }));
}

async function write(name, formatted) {
	const file = join(ROOT, name);
	const upToDate = formatted === (await readFile(file, 'utf8').catch(() => ''));
	await mkdir(dirname(file), { recursive: true });
	if (!upToDate) await writeFile(file, formatted);
	console.log(`${name} ${upToDate ? 'is up to date' : 'written'}`);
}

const types = await openapiTS(new URL('../openapi.yaml', import.meta.url));
await writeFormatted(TYPES, COMMENT_HEADER + astToString(types));
// One line for each country code, whatever its length.
await write(COUNTRY_CODES, countryCodesModule());

const previews = readPreviews();
for (const [name, preview] of previews) {
	await writeFormatted(join(PREVIEWS, name), JSON.stringify(preview));
}
const written = await readdir(join(ROOT, PREVIEWS), { recursive: true });
for (const name of written.filter((path) => path.endsWith('.json'))) {
	if (!previews.has(name.replaceAll(sep, '/'))) await rm(join(ROOT, PREVIEWS, name));
}
