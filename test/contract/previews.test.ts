/** What n8n shows of an operation's output before it ever ran. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isRecord } from '../../sandbox/json.ts';
import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { PREVIEWS, readPreviews } from '../../scripts/previews.ts';
import { run, start } from '../engine/service.ts';
import { validatorOf } from './document.ts';

const folder = join(import.meta.dirname, '../..', PREVIEWS);

function readPreview(name: string): Record<string, unknown> {
	const preview: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
	if (!isRecord(preview)) throw new Error(`${name} is no preview`);
	return preview;
}

test('the previews are those of openapi.yaml ("npm run generate" brings them up to date), one for each operation', () => {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
	const names = files.filter((name) => name.endsWith('.json')).sort();
	const previews = readPreviews();

	expect(names).toEqual(operationIds.map((id) => `${id.replace('.', '/')}.json`).sort());
	for (const name of names) expect(readPreview(name)).toEqual(previews.get(name));
});

describe.each(operationIds)('the preview of %s', (operation) => {
	const preview = readPreview(`${operation.replace('.', '/')}.json`);
	const { list, minimal, full } = nodeOperations[operation];
	const parameters = list ? { ...minimal, returnAll: true } : full;
	const shown = Object.keys(Object(preview.properties));

	test('fits what comes out', async () => {
		const { json, error } = await run(await start(), operation, parameters);
		const isLikePreview = validatorOf(preview);

		expect(error).toBeUndefined();
		expect(json.length).toBeGreaterThan(0);
		for (const item of json) {
			isLikePreview(item);
			expect(isLikePreview.errors).toBeNull();
		}
		const cameOut = new Set(json.flatMap((item) => Object.keys(item)));
		expect([...cameOut].sort()).toEqual([...shown].sort());
	});

	test('has only what n8n understands', () => {
		for (const part of partsOf(preview)) {
			const allowed = ['type', 'properties', 'items', ...(part === preview ? ['version'] : [])];
			expect(allowed).toEqual(expect.arrayContaining(Object.keys(part)));
			expect([part.type].flat()[0]).toMatch(/^(object|array|string|number|boolean)$/);
		}
	});
});

/** A schema and all within it. */
function partsOf(schema: unknown): Array<Record<string, unknown>> {
	if (!isRecord(schema)) return [];
	const { properties, items } = schema;
	return [schema, ...Object.values(Object(properties)).flatMap(partsOf), ...partsOf(items)];
}
