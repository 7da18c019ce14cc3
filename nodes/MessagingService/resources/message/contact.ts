import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { digitsOf, nationalOf, toE164 } from '../../panel/phone';
import { readCountryCode, readPhone } from '../../panel/phoneField';
import type { FieldWords, Parameters } from '../../panel/parameters';
import { splitList } from '../../panel/splitList';

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
		.flatMap((text) => readPhone(parameters, text, { label: WORDS.label }) ?? []);
	if (numbers.length === 0) parameters.fail(`"${WORDS.label}" is empty`, WORDS.advice);
	return { numbers: [...new Set(numbers)], countryCode };
}

/** The participants of a one-to-one conversation: a contact and an inbox. */
const ONE_TO_ONE = 2;
/** What stands before the number of another channel, as in "whatsapp:+15555550100". */
const SCHEME = /^[a-z]+:/i;

/** Everybody who takes part in a message, as the service writes them. */
export function participantsOf({ sender, members }: IDataObject): string[] {
	return [...textsOf(sender), ...membersOf(members)];
}

/**
 * Who wrote a message that came in, as the service writes them; nobody for one that went out. Where the service names
 * the sender instead of giving a number, it is one of the two who take part. Among more, nobody can tell.
 */
export function writersOf({ inbound, sender, members }: IDataObject): string[] {
	if (inbound === false) return [];
	const [number] = textsOf(sender).filter(isPhoneNumber);
	if (number !== undefined) return [number];
	const participants = membersOf(members);
	return inbound === true && participants.length <= ONE_TO_ONE ? participants : [];
}

/**
 * Finds entries by phone number, however the service writes it, in constant time. Only what certainly dials the same
 * number is found: digits with their country code, with "+" or without, or national ones that the country code
 * completes. Nothing is compared by its last digits.
 */
export class PhoneIndex<Entry> {
	/** Whether a number was looked for that may be one of these, but lacks the country code to tell. */
	hasUnclear = false;

	private readonly countryCode?: string;
	private readonly entries = new Map<string, Entry[]>();
	private readonly nationals = new Set<string>();
	/** What was looked for before, since the same numbers come again and again. */
	private readonly known = new Map<string, readonly Entry[]>();

	/** @param countryCode completes what is looked for */
	constructor(countryCode?: string) {
		this.countryCode = countryCode;
	}

	/** Adds an entry that is found by any number of a contact. */
	add({ numbers }: Contact, entry: Entry): void {
		this.known.clear();
		for (const number of numbers) {
			const sharing = this.entries.get(number);
			if (sharing) sharing.push(entry);
			else this.entries.set(number, [entry]);
			if (this.countryCode === undefined) this.nationals.add(nationalOf(number));
		}
	}

	/** The entries that any of the texts is a phone number of, each once. */
	find(texts: readonly string[]): Entry[] {
		if (this.entries.size === 0) return [];
		return [...new Set(texts.flatMap((text) => this.findOne(text)))];
	}

	private findOne(text: string): readonly Entry[] {
		const known = this.known.get(text);
		if (known) return known;
		const number = text.replace(SCHEME, '').trim();
		const found = [toE164(number, this.countryCode), toE164(`+${number}`)].flatMap(
			(reading) => (typeof reading === 'string' && this.entries.get(reading)) || [],
		);
		const mayBeMeant = !number.includes('+') && this.nationals.has(withoutZeros(number));
		this.hasUnclear ||= found.length === 0 && mayBeMeant;
		this.known.set(text, found);
		return found;
	}
}

function withoutZeros(number: string): string {
	return digitsOf(number).replace(/^0+/, '');
}

function isPhoneNumber(text: string): boolean {
	return /^[\d\s().+/-]*\d[\d\s().+/-]*$/.test(text.replace(SCHEME, ''));
}

// The format of members is not shown: it may be a list, or one text.
function membersOf(members: unknown): string[] {
	return [members].flat().flatMap(textsOf).flatMap(splitList);
}

function textsOf(value: unknown): string[] {
	return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
