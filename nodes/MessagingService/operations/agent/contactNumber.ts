import { quote, quoteAll, toText } from '../../api/text';
import { digitsOf, toE164 } from '../../contacts/phone';
import { switchField, textField } from '../../panel/field';
import { isExpression } from '../../panel/itemParameters';
import { readCountryCode, readPhone } from '../../panel/phoneField';
import { isBlank } from '../../panel/values';
import type { Item, Run } from '../operation';

/** What an error about a single value says of its item. */
export const NOT_SENT = 'This run has not sent it.';

export const phoneField = textField(
	'Phone',
	'phone',
	'Phone number of the contact, with country code. It can also be "phone" in the payload.',
	{ placeholder: 'e.g. +15555550142', advice: NOT_SENT },
);

/** The phone number in the payload. */
export const PAYLOAD_PHONE = { displayName: 'Phone in the payload', advice: NOT_SENT };

export const startWithoutContactField = switchField(
	'Start Without Contact',
	'startWithoutContact',
	'Whether to start the agent also for items without a phone number. Only the agent itself may text somebody then.',
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
	const written = run.rawParameters.phone;
	refuseColumnName(item, written);
	const phone = isBlank(written)
		? readPhone(parameters, PAYLOAD_PHONE, inPayload)
		: readPhone(parameters, phoneField, parameters.value(phoneField), written);
	const other = otherNumber(toText(inPayload) ?? '', phone, readCountryCode(parameters));
	if (other !== undefined) {
		parameters.fail(
			`"${phoneField.displayName}" is ${phone ?? 'empty'} in the node but ${other} in the payload`,
			`Clear one of them. ${NOT_SENT}`,
		);
	}
	if (phone !== undefined || parameters.options.isOn(startWithoutContactField)) return phone;
	return failWithoutPhone(item, written);
}

/** The number in a text if it is another one than this, also if it lacks its country code; undefined if it is not. */
function otherNumber(
	text: string,
	phone: string | undefined,
	countryCode: string,
): string | undefined {
	const number = toE164(text, countryCode);
	if (typeof number === 'string') return number === phone ? undefined : number;
	// However a number is written, those of two people differ in their last seven digits.
	const [end] = /\d{7}$/.exec(digitsOf(text)) ?? [];
	return end === undefined || phone?.endsWith(end) ? undefined : text;
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
	const names = Object.keys(json);
	const columns = names.length > 0 ? ` The item has: ${quoteAll(names)}.` : '';
	const what = isBlank(written)
		? 'Enter the number of the contact, or map the column with the numbers.'
		: 'The expression gives nothing for this item.';
	return parameters.fail(
		`"${phoneField.displayName}" is empty`,
		`${what}${columns} If this agent needs no contact, turn on "${startWithoutContactField.displayName}" in the options. ${NOT_SENT}`,
	);
}
