import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject } from '../../api/json';
import type { Contact } from './contact';
import { datesOf } from './filters';

/** Where n8n keeps it: for all nodes, as long as the execution runs. */
const KEY = 'messagingServiceReplies';

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

	/** When the latest of them was written, in milliseconds since 1970. */
	latest({ numbers }: Contact): number | undefined {
		const known = this.flow[KEY];
		if (!isObject(known)) return undefined;
		const times = numbers.flatMap((number) => {
			const time = known[this.keyOf(number)];
			return typeof time === 'number' ? [time] : [];
		});
		return times.length > 0 ? Math.max(...times) : undefined;
	}

	/** Remembers a reply for the rest of the execution. */
	add({ numbers }: Contact, reply: IDataObject): void {
		const known = this.flow[KEY];
		const time = Math.max(...datesOf(reply));
		const entries = numbers.map((number) => [this.keyOf(number), time]);
		this.flow[KEY] = { ...(isObject(known) ? known : {}), ...Object.fromEntries(entries) };
	}

	private keyOf(number: string): string {
		return `${this.team} ${number}`;
	}
}
