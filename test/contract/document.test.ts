import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

const root = join(import.meta.dirname, '../..');

test('the generated types are those of openapi.yaml ("npm run generate" brings them up to date)', async () => {
	const file = join(root, 'nodes/MessagingService/api/api.types.ts');
	const ast = await openapiTS(pathToFileURL(join(root, 'openapi.yaml')));
	const options = await resolveConfig(file);
	const types = await format(COMMENT_HEADER + astToString(ast), { ...options, filepath: file });
	expect(readFileSync(file, 'utf8')).toBe(types);
});
