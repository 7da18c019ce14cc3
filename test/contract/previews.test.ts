/** What n8n shows of an operation's output before it ever ran. */
import Ajv2020 from 'ajv/dist/2020';

import { nodeOperations, operationIds } from '../../sandbox/operations.ts';
import { readPreviews } from '../../scripts/previews.ts';
import { run, start } from '../engine/service.ts';

const previews = readPreviews();

test.each(operationIds)('the preview of %s fits what comes out', async (operation) => {
	const preview = previews.get(`${operation.replace('.', '/')}.json`) ?? {};
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
