import { quote } from '../api/text';
import { isCountryCode, toE164 } from '../contacts/phone';
import { type Field, type Named, textField } from './field';
import type { ItemParameters } from './itemParameters';
import type { PanelValues } from './values';

/** Completes phone numbers without a country code. */
export const defaultCountryCodeField = textField(
	'Default Country Code',
	'defaultCountryCode',
	'Completes phone numbers without a country code, such as (555) 555-0142. Numbers of other countries need their "+".',
	{ placeholder: 'e.g. 1' },
);

const CODE_LABEL = `"${defaultCountryCodeField.displayName}"`;

/**
 * Reads the default country code; empty when it is not set.
 *
 * @param values the values with this field among them: the panel itself or its options
 */
export function readCountryCode(values: PanelValues): string {
	const code = values.text(defaultCountryCodeField);
	if (code === '' || isCountryCode(code)) return code;
	return values.fail(
		`${CODE_LABEL} is not a country code`,
		'Enter the digits that follow "+", such as 1 or 44.',
	);
}

/** Reads the phone number of an item in E.164; undefined if it is empty. Fails for what is no number, or lacks a part. */
export function readPhone(
	parameters: ItemParameters,
	field: Named,
	value: unknown,
	written?: unknown,
): string | undefined {
	parameters.refuseGap(field, value, written);
	const text = parameters.toText(field, value);
	// A blank in front of a text may have been a "+".
	return text && toPhone(parameters, field, String(value), readCountryCode(parameters));
}

/** Reads the phone numbers of a field in E.164: one, several separated by commas, or a list of them from an expression. */
export function readPhones(
	values: PanelValues,
	field: Field,
	countryCode: string | undefined,
): string[] {
	const value = values.value(field);
	const texts = values.texts(field);
	// A blank in front of a number may have been a "+".
	const isOne = typeof value === 'string' && value.trim() === texts[0];
	return (isOne ? [value] : texts).map((text) =>
		// What to do is said by the rule that the number breaks.
		toPhone(values, { displayName: field.displayName }, text, countryCode),
	);
}

/**
 * Converts a phone number to E.164, completed by a country code; fails for what is no number.
 *
 * @param countryCode empty when it is not set; undefined where there is no field for it
 * @param text the number as it came, with a blank in front where it has one: that may have been a "+"
 */
export function toPhone(
	values: PanelValues,
	{ displayName, advice = '' }: Named,
	text: string,
	countryCode: string | undefined,
): string {
	const number = toE164(text, countryCode);
	if (typeof number === 'string') return number;
	const { problem, advice: what, lacksCode } = number;
	const orComplete = lacksCode && countryCode === '' ? ` Or set ${CODE_LABEL}.` : '';
	return values.fail(`${displayName} ${quote(text)} ${problem}`, `${what}${orComplete} ${advice}`);
}
