import { quote, quoteAll, toText } from '../../api/text';
import { digitsOf, toE164 } from '../../contacts/phone';
import { type Named, switchField, textField } from '../../panel/field';
import { isExpression, type ItemParameters } from '../../panel/itemParameters';
import { readCountryCode, toPhone } from '../../panel/phoneField';
import { isBlank } from '../../panel/values';
import type { Item, Run } from '../operation';

/** What an error about a single value says of its item. */
export const NOT_SENT = 'This item was not sent.';

export const phoneField = textField(
	'Phone',
	'phone',
	'Phone number of the contact, with country code. It can also be the field "phone" of the payload.',
	{ placeholder: 'e.g. +15555550142', advice: NOT_SENT },
);

/** The phone number in the payload. */
export const PAYLOAD_PHONE = { displayName: 'Phone in the payload', advice: NOT_SENT };

export const startWithoutContactField = switchField(
	'Start Without Contact',
	'startWithoutContact',
	'Whether to start the agent also for items without a phone number. Nobody is texted then, unless by the agent itself.',
);

/**
 * Reads the number of the contact, from the node or else from the payload; undefined when there is none and the agent may
 * start without a contact. If an expression in the node gives nothing for an item, the number in the payload is not used:
 * it may be that of somebody else. Anything but a number in the payload's "phone" is ignored if the node has one.
 *
 * @throws {Problem} when there is none, when it cannot be used, or when the payload has another one than the node.
 */
export function readContactNumber(item: Item, run: Run, inPayload: unknown): string | undefined {
	const { parameters } = item;
	const { displayName: label } = phoneField;
	const written = run.rawParameters.phone;
	const inNode = parameters.value(phoneField);
	refuseColumnName(item, written);
	refuseGap(parameters, phoneField, inNode, written);
	const countryCode = readCountryCode(parameters);
	const [field, value] = isBlank(written) ? [PAYLOAD_PHONE, inPayload] : [phoneField, inNode];
	const text = parameters.toText(field, value);
	// A blank in front of a text may have been a "+".
	const phone =
		text && toPhone(parameters, field, typeof value === 'string' ? value : text, countryCode);
	const other = otherNumber(toText(inPayload) ?? '', phone, countryCode);
	if (other !== undefined) {
		parameters.fail(
			`"${label}" is ${phone ?? 'empty'} in the node but ${other} in the payload`,
			`Clear one of them. ${NOT_SENT}`,
		);
	}
	const isNeeded = !parameters.options.isOn(startWithoutContactField);
	if (phone === undefined && isNeeded) failWithoutPhone(item, written);
	return phone;
}

/** However a number is written, the numbers of two people differ in so many digits at its end. */
const LAST_DIGITS = 7;

/** The number in a text if it is another one than this, also if it lacks its country code; undefined if it is not. */
function otherNumber(
	text: string,
	phone: string | undefined,
	countryCode: string,
): string | undefined {
	const number = toE164(text, countryCode);
	if (typeof number === 'string') return number === phone ? undefined : number;
	const digits = digitsOf(text);
	const isOther = digits.length >= LAST_DIGITS && !phone?.endsWith(digits.slice(-LAST_DIGITS));
	return isOther ? text : undefined;
}

/** Fails for a number that lacks a part, such as the country code: the rest may be the number of somebody else. */
export function refuseGap(
	parameters: ItemParameters,
	{ displayName: label }: Named,
	value: unknown,
	written: unknown,
): void {
	const gap = isBlank(value) ? undefined : parameters.findGap(value, written);
	if (gap === undefined) return;
	parameters.fail(
		`"${label}" lacks a part: ${gap} gives nothing`,
		`Compare the expression with the fields of the input. ${NOT_SENT}`,
	);
}

/** Fails for the name of a column that somebody has typed in place of its values. */
function refuseColumnName({ parameters, json }: Item, written: unknown): void {
	if (isBlank(written) || isExpression(written)) return;
	const typed = toText(written)?.trim().toLowerCase();
	const name = Object.keys(json).find((each) => each.trim().toLowerCase() === typed);
	if (name === undefined) return;
	parameters.fail(
		`"${phoneField.displayName}" is the name of a column, ${quote(name)}, not its value`,
		`Switch the field to "Expression", and enter {{ $json[${JSON.stringify(name)}] }}. ${NOT_SENT}`,
	);
}

/** Fails for an item without a phone number, with the columns among which somebody may find it. */
function failWithoutPhone({ parameters, json }: Item, written: unknown): never {
	const { displayName: label } = phoneField;
	const names = Object.keys(json);
	const columns = names.length > 0 ? ` The item has: ${quoteAll(names)}.` : '';
	const what = isBlank(written)
		? 'Enter the number of the contact, or map the column with the numbers.'
		: 'The expression gives nothing for this item.';
	return parameters.fail(
		`"${label}" is empty`,
		`${what}${columns} If this agent needs no contact, turn on "${startWithoutContactField.displayName}" in the options. ${NOT_SENT}`,
	);
}
