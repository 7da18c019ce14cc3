import type { Field } from '../../panel/field';
import { readPhones } from '../../panel/phoneField';
import type { PanelValues } from '../../panel/values';

/** A person, identified by all their phone numbers. */
export interface Contact {
	/** In E.164, each once; at least one. */
	numbers: string[];
	/** The country code for numbers that have none, also for those from the service. */
	countryCode?: string;
}

/** What the phone fields of all operations on a contact have in common. */
export const contactField: Field = {
	displayName: 'Phone',
	name: 'phone',
	type: 'string',
	default: '',
	placeholder: 'e.g. +15555550142',
	advice: 'Enter the phone number of the contact, such as +15555550142.',
};

/** Reads a contact: one number, several separated by commas, or a list of numbers from an expression. */
export function readContact(values: PanelValues, countryCode: string | undefined): Contact {
	const numbers = readPhones(values, contactField, countryCode);
	if (numbers.length === 0) {
		values.fail(`"${contactField.displayName}" is empty`, contactField.advice);
	}
	return { numbers: [...new Set(numbers)], countryCode };
}
