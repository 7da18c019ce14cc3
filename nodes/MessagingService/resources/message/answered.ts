import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from '../../api/json';
import type { Contact } from './contact';
import { datesOf } from './filters';

/** Where n8n keeps it: for all nodes, as long as the execution runs. */
const KEY = 'messagingServiceReplies';

/** The latest reply that came out: when it was written, in milliseconds since 1970, and all of that moment. */
export interface LatestReply {
	at: number;
	ids: string[];
}

/**
 * The replies that came out in this execution, by the number of the contact: what answered one question does not answer
 * the next one too.
 */
export class Answered {
	private readonly flow: IDataObject;
	private readonly team: string;

	constructor(context: Pick<IExecuteFunctions, 'getContext'>, team: string) {
		this.flow = context.getContext('flow');
		this.team = team;
	}

	latest({ numbers }: Contact): LatestReply | undefined {
		const known = this.flow[KEY];
		if (!isObject(known)) return undefined;
		return numbers
			.flatMap((number) => readReply(known[this.keyOf(number)]) ?? [])
			.sort((a, b) => a.at - b.at)
			.at(-1);
	}

	add(contact: Contact, reply: IDataObject): void {
		const at = Math.max(...datesOf(reply));
		const id = String(reply.id);
		const before = this.latest(contact);
		// Several may be of the same moment, and several items may wait for the same one.
		const ids = before?.at === at ? before.ids : [];
		const latest = { at, ids: ids.includes(id) ? ids : [...ids, id] };
		const known = isObject(this.flow[KEY]) ? this.flow[KEY] : (this.flow[KEY] = {});
		for (const number of contact.numbers) known[this.keyOf(number)] = latest;
	}

	private keyOf(number: string): string {
		return `${this.team} ${number}`;
	}
}

function readReply(value: unknown): LatestReply | undefined {
	if (!isObject(value)) return undefined;
	const { at, ids } = value;
	return typeof at === 'number' && Array.isArray(ids) ? { at, ids: ids.map(String) } : undefined;
}
