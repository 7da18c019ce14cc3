import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { COUNTRY_CODES, countryCodesModule } from '../../scripts/countryCodes.ts';

test('the table of country codes is that of libphonenumber ("npm run generate" brings it up to date)', async () => {
	const file = join(import.meta.dirname, '../..', COUNTRY_CODES);
	const options = await resolveConfig(file);
	const table = await format(countryCodesModule(), { ...options, filepath: file });
	expect(readFileSync(file, 'utf8')).toBe(table);
});
