import type { INodeProperties } from 'n8n-workflow';
import { readCountryCode } from '../../panel/countryCode';
import type { FieldWords, Parameters } from '../../panel/parameters';

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
	placeholder: 'e.g. +15555550100',
} satisfies INodeProperties;

const WORDS: FieldWords = {
	label: contactField.displayName,
	advice: 'Enter the phone number of the contact, such as +15555550100.',
};

/** Reads a contact: one number, several divided by commas, or a list of numbers from an expression. */
export function readContact(parameters: Parameters, name: string): Contact {
	const countryCode = readCountryCode(parameters);
	const numbers = parameters
		.texts(name, WORDS)
		.flatMap((text) => parameters.toPhone(text, { label: WORDS.label }, countryCode) ?? []);
	if (numbers.length === 0) parameters.fail(`"${WORDS.label}" is empty`, WORDS.advice);
	return { numbers: [...new Set(numbers)], countryCode };
}
