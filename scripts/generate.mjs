// Writes the types of the interface from openapi.yaml: `npm run generate`.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import prettier from 'prettier';

const DOCUMENT = new URL('../openapi.yaml', import.meta.url);
const TYPES = fileURLToPath(
	new URL('../nodes/MessagingService/transport/api.types.ts', import.meta.url),
);

const options = await prettier.resolveConfig(TYPES);
const types = COMMENT_HEADER + astToString(await openapiTS(DOCUMENT));
const text = await prettier.format(types, { ...options, filepath: TYPES });

const upToDate = text === (await readFile(TYPES, 'utf8').catch(() => ''));
if (!upToDate) await writeFile(TYPES, text);
console.log(`${TYPES} ${upToDate ? 'is up to date' : 'written'}`);
