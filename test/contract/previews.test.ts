/** What n8n shows of an operation's output before it ever ran. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import Ajv2020 from 'ajv/dist/2020';

import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { PREVIEWS, readPreviews } from '../../scripts/previews.ts';
import { run, start } from '../engine/service.ts';

const previews = readPreviews();
const fileOf = (operation: string) => `${operation.replace('.', '/')}.json`;

test('the previews are those of openapi.yaml ("npm run generate" brings them up to date), one for each operation', () => {
	const folder = join(import.meta.dirname, '../..', PREVIEWS);
	const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const stored = names
		.filter((name) => name.endsWith('.json'))
		.map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]);

	expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(previews));
	expect([...previews.keys()].sort()).toEqual(operationIds.map(fileOf).sort());
});

test.each(operationIds)('the preview of %s fits what comes out', async (operation) => {
	const preview = previews.get(fileOf(operation)) ?? {};
	const isLikePreview = new Ajv2020({ strict: false }).compile(preview);
	const { list, minimal, full } = nodeOperations[operation];
	const parameters = list ? { ...minimal, returnAll: true } : full;
	const { json, error } = await run(await start(), operation, parameters);

	expect(error).toBeUndefined();
	expect(json.length).toBeGreaterThan(0);
	for (const item of json) {
		isLikePreview(item);
		expect(isLikePreview.errors).toBeNull();
	}
	const cameOut = new Set(json.flatMap((item) => Object.keys(item)));
	expect([...cameOut].sort()).toEqual(Object.keys(Object(preview.properties)).sort());
});
