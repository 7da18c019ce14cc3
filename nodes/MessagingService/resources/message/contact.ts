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

/** The people of a message, by their phone numbers in E.164. */
export interface People {
	participants: string[];
	/**
	 * Who may have written it: nobody, if it is outbound; any participant, if the service gives a name instead of the
	 * sender's number.
	 */
	writers: string[];
}

/**
 * Reads the people of a message.
 *
 * @param countryCode the country code for numbers of the service that have none
 */
export function peopleOf({ inbound, sender, members }: IDataObject, countryCode?: string): People {
	const senders = numbersIn(sender, countryCode);
	const participants = [...senders, ...numbersIn(members, countryCode)];
	const authors = senders.length > 0 ? senders : participants;
	return { participants, writers: inbound === true ? authors : [] };
}

/**
 * Reads texts from the service as numbers in E.164. Bare digits may be a national number, which `countryCode` completes,
 * or lack nothing but "+": what the service writes is not shown, so both readings count. Numbers are compared in this
 * form, never by their last digits.
 */
function numbersIn(texts: unknown, countryCode?: string): string[] {
	return [texts].flat().flatMap((text) => {
		if (!isTextOrNumber(text)) return [];
		const written = String(text).replace(SCHEME, '').trim();
		const candidates = [
			toE164(written, countryCode),
			...(/^\d+$/.test(written) ? [toE164(`+${written}`)] : []),
		];
		return [...new Set(candidates.filter((number) => typeof number === 'string'))];
	});
}
