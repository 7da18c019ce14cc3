import type { IDataObject } from 'n8n-workflow';
import { quoteAll } from '../../api/json';
import { IncompleteList, type ListQuery } from '../../api/list';
import type { Notices, Run } from '../operation';
import { comparable, type Content, hasContent } from './content';
import { participantsOf } from './people';
import { PhoneIndex } from './phoneIndex';

const NO_COUNTRY_CODE =
	'The service gave messages of phone numbers without a country code, which may or may not be those that you look for. They were left out. To include them, set "Default Country Code" in the options.';

/** What of the service's list is wanted: so many messages that are kept. */
export type Wanted = Pick<ListQuery, 'limit' | 'keep'>;

/** The messages that one item wants, as they are found. */
interface Demand {
	content: Content;
	limit: number;
	/** By ID, so that a message that the service gives twice counts once. */
	found: Map<unknown, IDataObject>;
}

/**
 * Reads a list of messages once for all items that want something else of the same list. Readings begin when all
 * items have asked, and end as soon as all of them have what they want.
 */
export class SharedReadings {
	private readonly run: Pick<Run, 'notices' | 'allBegun'>;
	/** Readings that have not begun, by the list that they are of. */
	private readonly open = new Map<string, Reading>();

	constructor(run: Pick<Run, 'notices' | 'allBegun'>) {
		this.run = run;
	}

	/**
	 * Finds messages by their content.
	 *
	 * @param list what tells lists apart
	 * @param read reads the list, by the one of the items that came first
	 * @throws {IncompleteList} with the messages of this item, when the list could not be read to its end
	 */
	async find(
		list: unknown,
		{ content, limit }: Pick<Demand, 'content' | 'limit'>,
		read: (wanted: Wanted) => Promise<unknown>,
	): Promise<IDataObject[]> {
		const key = JSON.stringify(list);
		const reading = this.open.get(key) ?? this.begin(key, read);
		const { found } = reading.demand(content, limit);
		try {
			await reading.finished;
		} catch (error) {
			throw error instanceof IncompleteList
				? new IncompleteList([...found.values()], error)
				: error;
		}
		return [...found.values()];
	}

	private begin(key: string, read: (wanted: Wanted) => Promise<unknown>): Reading {
		const reading = new Reading(async () => {
			await this.run.allBegun;
			this.open.delete(key);
			await read({ limit: reading.limit, keep: (message) => reading.keep(message) });
			reading.report(this.run.notices);
		});
		this.open.set(key, reading);
		return reading;
	}
}

/** One reading of a list, and what is wanted of it. */
class Reading {
	readonly finished: Promise<void>;
	private readonly demands = new Map<string, Demand>();
	private readonly ofContacts = new PhoneIndex<Demand>();
	private readonly ofAnybody: Demand[] = [];
	private readonly seen = new Set<unknown>();
	/** Of the messages that were read, as filters compare them. */
	private readonly statuses = new Set<string>();
	private kept = 0;
	private hasUnclear = false;

	constructor(read: () => Promise<void>) {
		this.finished = read();
	}

	/** As many as all items want. Where several want the same message, the end may come later than need be. */
	get limit(): number {
		return [...this.demands.values()].reduce((sum, { limit }) => sum + limit, 0);
	}

	/** Registers what an item wants. Items that want the same share it. */
	demand(content: Content, limit: number): Demand {
		const key = JSON.stringify([content, limit]);
		const known = this.demands.get(key);
		if (known) return known;
		const demand: Demand = { content, limit, found: new Map() };
		this.demands.set(key, demand);
		if (content.contact) this.ofContacts.add(content.contact, demand);
		else this.ofAnybody.push(demand);
		return demand;
	}

	/** Hands a message to all who want it. */
	keep(message: IDataObject): boolean {
		const id = message.id ?? message;
		const isNew = !this.seen.has(id);
		this.seen.add(id);
		const participants = participantsOf(message);
		const ofContacts = this.ofContacts.find(participants);
		const compared = comparable(message);
		if (compared.status !== '') this.statuses.add(compared.status);
		const isTaken = ({ content, limit, found }: Demand) => {
			if (found.has(id)) return true;
			if (found.size >= limit || !hasContent(compared, content)) return false;
			found.set(id, message);
			return true;
		};
		const takers = [...ofContacts, ...this.ofAnybody].filter(isTaken);
		if (ofContacts.length === 0) this.hasUnclear ||= this.ofContacts.mayContain(participants);
		if (isNew && takers.length > 0) this.kept++;
		return takers.length > 0;
	}

	/** Says how much was read for what came out. */
	report(notices: Notices): void {
		const { size } = this.seen;
		notices.add(
			`Read ${size} ${size === 1 ? 'message' : 'messages'} to find the ${this.kept} that match: the service has no filters by phone, direction, status or text.`,
			'info',
		);
		if (this.hasUnclear) notices.add(NO_COUNTRY_CODE);
		this.reportStatuses(notices);
	}

	/** Shows a status that the service writes otherwise, which looks like an empty result. */
	private reportStatuses(notices: Notices): void {
		if (this.statuses.size === 0) return;
		const wanted = [...this.demands.values()].flatMap(({ content }) => content.statuses);
		const missing = new Set(wanted.filter((status) => !this.statuses.has(status)));
		if (missing.size === 0) return;
		notices.add(
			`No message that was read has the status ${quoteAll([...missing])}. Those that were read have ${quoteAll([...this.statuses])}.`,
			'info',
		);
	}
}
