import type { INodeProperties } from 'n8n-workflow';
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
