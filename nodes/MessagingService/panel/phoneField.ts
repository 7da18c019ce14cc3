import { quote } from '../api/text';
import { isCountryCode, toE164 } from '../contacts/phone';
import type { Field, Named } from './field';
import type { PanelValues } from './values';

/** Completes phone numbers without a country code. */
export const defaultCountryCodeField: Field = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1',
	description:
		'Completes phone numbers that have no country code, such as (555) 555-0142. Without it, they are refused.',
};

/**
 * Reads the default country code; undefined when it is not set.
 *
 * @param values the values with this field among them: the panel itself or its options
 */
export function readCountryCode(values: PanelValues): string | undefined {
	const code = values.text(defaultCountryCodeField);
	if (code === '' || isCountryCode(code)) return code || undefined;
	return values.fail(
		`"${defaultCountryCodeField.displayName}" is not a country code`,
		'Enter the digits that follow "+", such as 1 for the United States or 44 for the United Kingdom.',
	);
}

/** Converts a phone number to E.164, completed by a country code; fails for what is no number. */
export function toPhone(
	values: PanelValues,
	{ displayName, advice = '' }: Named,
	text: string,
	countryCode: string | undefined,
): string {
	const number = toE164(text, countryCode);
	if (typeof number === 'string') return number;
	const { problem, advice: what } = number;
	return values.fail(`${displayName} ${quote(text)} ${problem}`, `${what} ${advice}`);
}
