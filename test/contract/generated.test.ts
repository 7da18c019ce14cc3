/** That what is generated is up to date: `npm run generate` makes it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

import { ROOT } from '../../sandbox/n8n/paths.ts';
import { operationIds } from '../../sandbox/operations.ts';
import { COUNTRY_CODES, countryCodesModule } from '../../scripts/countryCodes.ts';
import { PREVIEWS, readPreviews } from '../../scripts/previews.ts';

const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

/** The files below a folder that end like this, by their paths there. */
function filesIn(folder: string, ending: string): Record<string, string> {
	const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
	const files = names.filter((name) => name.endsWith(ending));
	return Object.fromEntries(files.map((name) => [name, read(folder, name)]));
}

test('the types are those of openapi.yaml', async () => {
	const file = 'nodes/MessagingService/api/api.types.ts';
	const ast = await openapiTS(pathToFileURL(join(ROOT, 'openapi.yaml')));
	const options = await resolveConfig(join(ROOT, file));
	const types = await format(COMMENT_HEADER + astToString(ast), { ...options, filepath: file });
	expect(read(file)).toBe(types);
});

test('the previews are those of openapi.yaml, one for each operation', () => {
	const previews = readPreviews();
	const stored = Object.entries(filesIn(PREVIEWS, '.json'));
	expect(new Map(stored.map(([name, text]) => [name, JSON.parse(text)]))).toEqual(previews);
	const names = operationIds.map((id) => `${id.replace('.', '/')}.json`);
	expect([...previews.keys()].sort()).toEqual(names.sort());
});

test('the table of country codes is that of libphonenumber', () => {
	expect(read(COUNTRY_CODES)).toBe(countryCodesModule());
});
