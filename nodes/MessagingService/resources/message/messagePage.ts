import { type Contact, indexByNumber, participantsOf } from './contact';
import type { ParsedMessage } from './message';

/** A part of a list of messages, with an index for all who look for a contact. */
export class MessagePage {
	private readonly messages: readonly ParsedMessage[];
	private find?: ReturnType<typeof indexByNumber>;

	constructor(messages: readonly ParsedMessage[]) {
		this.messages = messages;
	}

	/** The messages that a contact takes part in, or all of them. */
	of(contact?: Contact): readonly ParsedMessage[] {
		if (!contact) return this.messages;
		this.find ??= indexByNumber(this.messages, participantsOf, contact.countryCode);
		return this.find(contact.numbers);
	}
}
