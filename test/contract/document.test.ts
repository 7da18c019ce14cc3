import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials';
import { DEFAULT_NAMES } from '../../nodes/MessagingService/api/account';
import { document, operations } from './document.ts';

const root = join(import.meta.dirname, '../..');

test('the generated types are those of openapi.yaml ("npm run generate" brings them up to date)', async () => {
	const file = join(root, 'nodes/MessagingService/api/api.types.ts');
	const ast = await openapiTS(pathToFileURL(join(root, 'openapi.yaml')));
	const options = await resolveConfig(file);
	const types = await format(COMMENT_HEADER + astToString(ast), { ...options, filepath: file });
	expect(readFileSync(file, 'utf8')).toBe(types);
});

describe('the custom names of the credential', () => {
	const { properties } = new MessagingServiceApi();
	const defaultOf = (name: string) =>
		properties.find((property) => property.name === name)?.default;

	test.each(namesInDocument())('%s is by default what openapi.yaml says: %s', (field, name) => {
		expect(defaultOf(field)).toBe(name);
	});

	test('are all the document marks, and two formats', () => {
		const marked = new Set(namesInDocument().map(([field]) => field));
		expect([...marked, 'inboxIdsFormat', 'dateFormat'].sort()).toEqual(
			Object.keys(DEFAULT_NAMES).sort(),
		);
	});

	test('write several inboxes by default as the document says', () => {
		const parameter = operations
			.flatMap(({ parameters }) => parameters)
			.find((each) => each['x-custom-name'] === 'inboxIdsParameter');
		expect(parameter).toMatchObject({ style: 'form', explode: true });
		expect(defaultOf('inboxIdsFormat')).toBe('repeat');
	});
});

/** Each `x-custom-name` of the document, with the name that stands there. */
function namesInDocument(): Array<[field: string, name: string]> {
	const parameters = operations.flatMap(({ parameters: all }) =>
		all.flatMap(
			({ name, 'x-custom-name': field }): Array<[string, string]> =>
				field === undefined ? [] : [[field, name]],
		),
	);
	const segments = Object.entries(document.paths).flatMap(
		([path, { 'x-custom-name': field }]): Array<[string, string]> =>
			field === undefined ? [] : [[field, /([^/]+)-connector\//.exec(path)?.[1] ?? '']],
	);
	return [...parameters, ...segments];
}
