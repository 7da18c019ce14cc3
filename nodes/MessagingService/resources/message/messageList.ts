import type { IDataObject } from 'n8n-workflow';
import { systemClock, untilSteady } from '../../n8n/clock';
import { type Contact, participantsOf } from './contact';
import { parseMessage, type ParsedMessage } from './filters';

type Source = AsyncGenerator<IDataObject, void>;

/**
 * A list of messages that the items of a run read together: each from its beginning, and as far as it wants. It grows
 * while they iterate, and is let go of when nobody does.
 *
 * A failure of the reading is one of those who need more of it, and of nobody else: whoever begins afterwards reads anew.
 */
export class MessageList {
	private readonly read: () => Source;
	private readonly pageSize: number;
	private readonly countryCode: string | undefined;
	private reading?: SharedReading;

	/**
	 * @param read begins to read the list
	 * @param pageSize how much of it to read at a time
	 * @param countryCode the country code for numbers of the service that have none
	 */
	constructor(read: () => Source, pageSize: number, countryCode?: string) {
		this.read = read;
		this.pageSize = pageSize;
		this.countryCode = countryCode;
	}

	/** The messages in their order, as they come: those that the contact takes part in, or all without a contact. */
	async *batches(contact?: Contact): AsyncGenerator<readonly ParsedMessage[], void> {
		const { pageSize, countryCode } = this;
		const reading = (this.reading ??= new SharedReading(this.read(), pageSize, countryCode));
		reading.users++;
		try {
			for (let place = 0; place < reading.length || (await reading.grow()); ) {
				const from = place;
				place = reading.length;
				yield reading.from(from, contact);
				// Everything else in the process gets its turn.
				await systemClock.wait(0);
			}
		} finally {
			reading.users--;
			const isOver = reading.users === 0 || reading.hasFailed;
			if (isOver && this.reading === reading) this.reading = undefined;
			if (reading.users === 0) await reading.end();
		}
	}
}

/** What was read so far, and how to read on. */
class SharedReading {
	/** How many items iterate over it. */
	users = 0;
	private readonly source: Source;
	private readonly pageSize: number;
	private readonly countryCode: string | undefined;
	private readonly messages: ParsedMessage[] = [];
	/** The places of the messages by the phone numbers of their participants; only once somebody looks for a contact. */
	private byNumber?: Map<string, number[]>;
	/** Resolves with whether more came. */
	private growth?: Promise<boolean>;
	private failure?: { error: unknown };

	constructor(source: Source, pageSize: number, countryCode?: string) {
		this.source = source;
		this.pageSize = pageSize;
		this.countryCode = countryCode;
	}

	get hasFailed(): boolean {
		return this.failure !== undefined;
	}

	get length(): number {
		return this.messages.length;
	}

	/** The messages from a place on, of one contact or all. */
	from(place: number, contact?: Contact): ParsedMessage[] {
		if (!contact) return this.messages.slice(place);
		const index = (this.byNumber ??= this.addTo(new Map(), 0));
		const places = contact.numbers.flatMap((number) => {
			const all = index.get(number) ?? [];
			// They ascend, so what is new is at the end.
			let first = all.length;
			while (first > 0 && all[first - 1] >= place) first--;
			return all.slice(first);
		});
		return [...new Set(places)].sort((a, b) => a - b).map((each) => this.messages[each]);
	}

	/**
	 * Reads about a page more. All who wait for more share the wait.
	 *
	 * @returns Whether there is more; false at the end.
	 * @throws what the reading throws, once everything that came before it was given out.
	 */
	async grow(): Promise<boolean> {
		this.growth ??= this.readPage().finally(() => {
			this.growth = undefined;
		});
		return await this.growth;
	}

	/** Ends the reading, and waits for what was fetched ahead. */
	async end(): Promise<void> {
		await this.source.return();
	}

	private async readPage(): Promise<boolean> {
		const before = this.length;
		// Some items may have enough with the first page, before others have begun.
		if (before === 0) await untilSteady(() => this.users);
		try {
			while (!this.failure && this.length < before + this.pageSize) {
				const { done, value } = await this.source.next();
				if (done) break;
				this.messages.push(parseMessage(value));
			}
		} catch (error) {
			this.failure = { error };
		}
		if (this.failure && this.length === before) throw this.failure.error;
		if (this.byNumber) this.addTo(this.byNumber, before);
		return this.length > before;
	}

	/** Adds the messages from a place on to an index by phone number. */
	private addTo(index: Map<string, number[]>, from: number): Map<string, number[]> {
		for (let place = from; place < this.length; place++) {
			for (const number of participantsOf(this.messages[place].json, this.countryCode)) {
				const places = index.get(number);
				if (places) places.push(place);
				else index.set(number, [place]);
			}
		}
		return index;
	}
}
