import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isTextOrNumber } from '../../api/json';
import { toE164 } from '../../panel/phone';
import { readCountryCode, readPhone } from '../../panel/phoneField';
import type { FieldWords, PanelValues } from '../../panel/parameters';

/** A person, identified by all their phone numbers. */
export interface Contact {
	/** In E.164, each once; at least one. */
	numbers: string[];
	/** The country code for numbers that have none, also for those from the service. */
	countryCode?: string;
}

/** What the phone fields of all operations on a contact have in common. */
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
export function readContact(parameters: PanelValues, name: string): Contact {
	const countryCode = readCountryCode(parameters);
	const numbers = parameters
		.texts(name, CONTACT_WORDS)
		.flatMap((text) => readPhone(parameters, text, { label: CONTACT_WORDS.label }) ?? []);
	if (numbers.length === 0) {
		parameters.fail(`"${CONTACT_WORDS.label}" is empty`, CONTACT_WORDS.advice);
	}
	return { numbers: [...new Set(numbers)], countryCode };
}

/** The prefix of a number on another channel, as in "whatsapp:+15555550142". */
const SCHEME = /^[a-z]+:/i;

/** The phone numbers of all participants of a message, in E.164. */
export function participantsOf({ sender, members }: IDataObject, countryCode?: string): string[] {
	return [sender, members].flat().flatMap((text) => numbersIn(text, countryCode));
}

/**
 * The phone numbers that may be the author's, in E.164; none for an outbound message. If the service gives a name
 * instead of the sender's number, the author may be any participant.
 */
export function writersOf(message: IDataObject, countryCode?: string): string[] {
	if (message.inbound !== true) return [];
	const numbers = numbersIn(message.sender, countryCode);
	return numbers.length > 0 ? numbers : participantsOf(message, countryCode);
}

/**
 * Reads a text from the service as a number in E.164: a national one is completed by `countryCode`; else bare digits count
 * as a number that lacks nothing but "+". Numbers are compared in this form, never by their last digits.
 *
 * @returns The number, or nothing for any other text.
 */
function numbersIn(text: unknown, countryCode?: string): string[] {
	if (!isTextOrNumber(text)) return [];
	const written = String(text).replace(SCHEME, '').trim();
	const number = toE164(written, countryCode);
	if (typeof number === 'string') return [number];
	const withPlus = /^\d+$/.test(written) ? toE164(`+${written}`) : undefined;
	return typeof withPlus === 'string' ? [withPlus] : [];
}
