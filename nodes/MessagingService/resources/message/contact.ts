import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isTextOrNumber } from '../../api/json';
import { toE164 } from '../../panel/phone';
import { readCountryCode, readPhone } from '../../panel/phoneField';
import type { FieldWords, ItemParameters } from '../../panel/parameters';

/** A person, by all phone numbers that belong to them. */
export interface Contact {
	/** In E.164, each once; at least one. */
	numbers: string[];
	/** The country of numbers without a country code, those of the service too. */
	countryCode?: string;
}

/** The part of a phone field that is the same wherever a contact is looked for. */
export const contactField = {
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550142',
} satisfies INodeProperties;

const CONTACT_WORDS: FieldWords = {
	label: contactField.displayName,
	advice: 'Enter the phone number of the contact, such as +15555550142.',
};

/** Reads a contact: one number, several separated by commas, or a list of numbers from an expression. */
export function readContact(parameters: ItemParameters, name: string): Contact {
	const countryCode = readCountryCode(parameters);
	const numbers = parameters
		.texts(name, CONTACT_WORDS)
		.flatMap((text) => readPhone(parameters, text, { label: CONTACT_WORDS.label }) ?? []);
	if (numbers.length === 0)
		parameters.fail(`"${CONTACT_WORDS.label}" is empty`, CONTACT_WORDS.advice);
	return { numbers: [...new Set(numbers)], countryCode };
}

/** What stands before the number of another channel, as in "whatsapp:+15555550142". */
const SCHEME = /^[a-z]+:/i;

/** The phone numbers of all who take part in a message, in E.164. */
export function participantsOf({ sender, members }: IDataObject, countryCode?: string): string[] {
	return [sender, members].flat().flatMap((text) => dialedBy(text, countryCode));
}

/**
 * The phone numbers of who wrote a message that came in, in E.164; none for one that went out. Where the service names
 * the sender instead of giving a number, it is one of those who take part.
 */
export function writersOf(message: IDataObject, countryCode?: string): string[] {
	if (message.inbound !== true) return [];
	const numbers = dialedBy(message.sender, countryCode);
	return numbers.length > 0 ? numbers : participantsOf(message, countryCode);
}

/**
 * What a text of the service dials, in E.164: digits with their country code, with "+" or without, or national ones
 * that the country code completes. Numbers are compared by this, and never by their last digits.
 */
function dialedBy(text: unknown, countryCode?: string): string[] {
	if (!isTextOrNumber(text)) return [];
	const number = String(text).replace(SCHEME, '').trim();
	const readings = [toE164(number, countryCode), toE164(`+${number}`)];
	return readings.filter((reading) => typeof reading === 'string');
}

/** Makes an index that gives the entries of any of some numbers, each once. */
export function indexByNumber<Entry>(
	entries: readonly Entry[],
	numbersOf: (entry: Entry) => readonly string[],
): (numbers: readonly string[]) => Entry[] {
	const byNumber = new Map<string, Entry[]>();
	for (const entry of entries) {
		for (const number of numbersOf(entry)) {
			const others = byNumber.get(number);
			if (others) others.push(entry);
			else byNumber.set(number, [entry]);
		}
	}
	return (numbers) => [...new Set(numbers.flatMap((number) => byNumber.get(number) ?? []))];
}
