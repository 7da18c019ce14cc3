/** The tests that docs/development/promises.md names are there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../sandbox/n8n/paths.ts';

const page = readFileSync(join(ROOT, 'docs', 'development', 'promises.md'), 'utf8');
const promises = [...page.matchAll(/^(\d+)\. .+\. `(.+)`: (.+)$/gm)].map((row) => row.slice(1));

test('there are thirty', () => {
	expect(promises.map(([number]) => Number(number))).toEqual(
		Array.from({ length: 30 }, (_, index) => index + 1),
	);
});

test.each(promises)('promise %s has its test in %s: %s', (_number, file, names) => {
	const tests = readFileSync(join(ROOT, 'test', file), 'utf8');
	// A long name is shortened, and one that depends on its case to what all cases share.
	for (const name of names.split('; ')) expect(tests).toContain(name);
	expect(tests).not.toMatch(/\b(?:skip|todo|xtest|xit)\b\(/);
});
