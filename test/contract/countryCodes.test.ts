import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { COUNTRY_CODES, countryCodesModule } from '../../scripts/countryCodes.ts';

test('the table of country codes is that of libphonenumber ("npm run generate" brings it up to date)', () => {
	const file = join(import.meta.dirname, '../..', COUNTRY_CODES);
	expect(readFileSync(file, 'utf8')).toBe(countryCodesModule());
});
