import type { IDataObject } from 'n8n-workflow';
import type { Contact } from './contact';
import { ParsedMessage } from './message';

/** A page of messages, which many items may search. */
export class MessagePage {
	readonly messages: readonly ParsedMessage[];
	/** The phone numbers of all who take part in its messages, by the country code that completes them. */
	private readonly numbers = new Map<string | undefined, ReadonlySet<string>>();

	constructor(entries: readonly IDataObject[]) {
		this.messages = entries.map((json) => new ParsedMessage(json));
	}

	/** Whether a contact takes part in any of its messages. */
	has({ numbers, countryCode }: Contact): boolean {
		const known = this.numbers.get(countryCode) ?? this.numbersBy(countryCode);
		this.numbers.set(countryCode, known);
		return numbers.some((number) => known.has(number));
	}

	private numbersBy(countryCode?: string): ReadonlySet<string> {
		return new Set(this.messages.flatMap((message) => message.people(countryCode).participants));
	}
}
