import { digitsOf, nationalOf, toE164 } from '../../panel/phone';
import type { Contact } from './contact';

/** What stands before the number of another channel, as in "whatsapp:+15555550100". */
const SCHEME = /^[a-z]+:/i;

/**
 * Finds entries by phone number, however the service writes it, in constant time. Only what certainly dials the same
 * number is found: digits with their country code, with "+" or without, or national ones that the contact's country
 * code completes. Nothing is compared by its last digits.
 */
export class PhoneIndex<Entry> {
	private readonly byCountryCode = new Map<string | undefined, Map<string, Entry[]>>();
	private readonly nationals = new Set<string>();

	/** Adds an entry that is found by any number of a contact. */
	add({ numbers, countryCode }: Contact, entry: Entry): void {
		const entries = this.byCountryCode.get(countryCode) ?? new Map<string, Entry[]>();
		this.byCountryCode.set(countryCode, entries);
		for (const number of numbers) {
			const sharing = entries.get(number);
			if (sharing) sharing.push(entry);
			else entries.set(number, [entry]);
			if (countryCode === undefined) this.nationals.add(nationalOf(number));
		}
	}

	/** The entries that any of the texts is a phone number of, each once. */
	find(texts: readonly string[]): Entry[] {
		const found = new Set<Entry>();
		for (const [countryCode, entries] of this.byCountryCode) {
			for (const number of texts.flatMap((text) => readingsOf(text, countryCode))) {
				for (const entry of entries.get(number) ?? []) found.add(entry);
			}
		}
		return [...found];
	}

	/** Whether any of the texts may be a number of an entry, but lacks the country code to tell. */
	mayContain(texts: readonly string[]): boolean {
		return texts.some(
			(text) => !text.includes('+') && this.nationals.has(digitsOf(text).replace(/^0+/, '')),
		);
	}
}

/** Whether a text of the service is a phone number at all, and not a name. */
export function isPhoneNumber(text: string): boolean {
	return /^[\d\s().+/-]*\d[\d\s().+/-]*$/.test(text.replace(SCHEME, ''));
}

/** What a text dials in E.164: completed by the country code, or as the digits of a complete number without "+". */
function readingsOf(text: string, countryCode: string | undefined): string[] {
	const number = text.replace(SCHEME, '').trim();
	return [toE164(number, countryCode), toE164(`+${number}`)].filter(
		(reading) => typeof reading === 'string',
	);
}
