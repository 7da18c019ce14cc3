/** That docs/development/promises*.md name tests that are there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tests = join(import.meta.dirname, '..');
const pages = globSync(join(tests, '../docs/development/promises*.md'));

/** Each file, with the words that its tests are named by. */
const proofs = pages
	.flatMap((page) => readFileSync(page, 'utf8').split('\n'))
	.flatMap((line) => line.split(/[|;]/))
	.flatMap((cell) => {
		const [, file, names = ''] = /^\s*`([\w/.]+\.ts)`(?::(.*))?/.exec(cell) ?? [];
		const words = [...names.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, name = '']) => name);
		return file === undefined ? [] : [{ file, words }];
	});

test.each(proofs)('$file has $words', ({ file, words }) => {
	expect(existsSync(join(tests, file))).toBe(true);
	const text = readFileSync(join(tests, file), 'utf8');
	for (const each of words) expect(text).toContain(each.replaceAll('\\"', '"'));
});
