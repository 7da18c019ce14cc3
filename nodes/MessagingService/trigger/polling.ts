import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';
import type { Client } from '../api/client';
import { HOUR_MS, MINUTE_MS } from '../api/time';
import { accountKeyOf, connect } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { inboxIdsField } from '../panel/inboxIds';
import { filtersField, requireFilterValues } from '../panel/filterFields';
import { PanelValues } from '../panel/parameters';
import { readOutput, simplifyField } from '../panel/toolOutput';
import {
	matchesBesidesContact,
	phoneFilter,
	readCommonFilters,
	textFilter,
} from '../resources/message/filters';
import {
	idOf,
	MESSAGE_OUTPUT,
	oldestFirst,
	type ParsedMessage,
} from '../resources/message/message';
import { type Reading, readMessagesSince } from '../resources/message/readMessages';
import { MessagePage } from '../resources/message/sharedLists';
import { placeOf } from './logging';

/** How far a poll looks back behind the one before, in milliseconds: a message may show up long after its date. */
const LOOK_BACK = 48 * HOUR_MS;
/** Milliseconds for a first poll. n8n gives up an activation after 84 seconds. */
const MAX_FIRST_POLL = MINUTE_MS;

const DIRECTIONS = [
	{
		name: 'Any New Message',
		value: 'both',
		action: 'On new message',
		description: 'A message that a contact sends to you, or that you send to a contact',
	},
	{
		name: 'Message Received',
		value: 'inbound',
		action: 'On new message received',
		description: 'A message that a contact sends to you',
	},
	{
		name: 'Message Sent',
		value: 'outbound',
		action: 'On new message sent',
		description: 'A message that you, or an agent, send to a contact',
	},
];

const directionField: INodeProperties = {
	// n8n's list of nodes shows an entry for each option of a field with this name.
	displayName: 'Trigger On',
	name: 'direction',
	type: 'options',
	noDataExpression: true,
	options: DIRECTIONS,
	default: 'inbound',
	description: 'What starts the workflow. It looks for messages at the poll times.',
	hint: 'The first poll after you publish only notes what is there',
};

const FILTERS = filtersField(inboxIdsField, phoneFilter, textFilter);

/** The fields of the polling trigger. n8n adds "Poll Times" above them. */
export const pollingProperties: INodeProperties[] = [directionField, FILTERS, simplifyField];

/** What a trigger remembers from poll to poll, in n8n's static data of the node. */
interface Memory {
	/** The account and the inboxes that were read: in others, every message would seem to be new. */
	source: string;
	/** When the poll began, and from when on it read messages, in milliseconds since 1970. */
	polledAt: number;
	from: number;
	/** The IDs of all messages that it read. */
	idsOfLastPoll: string[];
	/** Those that the poll before had read and it had not: messages may move between pages while a list is read. */
	idsMissingInLastPoll: string[];
}

/** Polls that are under way, by workflow and node. */
const underWay = new Set<string>();

/**
 * Gives the messages that the poll before did not see, the oldest first; null when there are none. The first poll gives
 * none, and a test the newest message.
 *
 * @throws {NodeApiError | NodeOperationError} when messages are missing from the list, or may be in the first poll. Then
 *   nothing is remembered, so the next poll finds all.
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	const name = `${context.getWorkflow().id}:${context.getNode().id}`;
	// n8n begins a poll although the one before has not ended. Both would find the same messages.
	if (!isTest && underWay.has(name)) return null;
	if (!isTest) underWay.add(name);
	try {
		const messages = await withNodeErrors(context.getNode(), async () =>
			isTest ? await findNewest(context) : await findNew(context),
		);
		return messages.length > 0 ? [messages.map((json) => ({ json }))] : null;
	} finally {
		if (!isTest) underWay.delete(name);
	}
}

/** The messages that the poll before did not see. */
async function findNew(context: IPollFunctions): Promise<IDataObject[]> {
	const client = await connect(context);
	const wanted = readWanted(context);
	const memory: Partial<Memory> = context.getWorkflowStaticData('node');
	const inboxIds = [...wanted.inboxIds].sort();
	const source = JSON.stringify([accountKeyOf(context, client.account), inboxIds]);
	const before = memory.source === source ? memory : {};
	const polledAt = Date.now();
	// Not from before what the last poll has read, also if the clock was set back: all of that would seem to be new.
	const lookBack = Math.min(before.polledAt ?? polledAt, polledAt) - LOOK_BACK;
	const from = Math.max(lookBack, before.from ?? -Infinity);
	const read = before.idsOfLastPoll === undefined ? readFirst : readMessagesSince;
	const reading = await read(client, from, inboxIds);
	logNotices(context, reading);
	const { fresh, ...ids } = compare(before, reading.messages);
	const output = wanted.select(fresh);
	Object.assign(memory, { source, polledAt, from, ...ids } satisfies Memory);
	return output;
}

/**
 * Reads messages for a first poll, quickly and as a whole: n8n waits for it, and what is missing would later seem to be
 * new.
 */
async function readFirst(client: Client, from: number, inboxIds: string[]): Promise<Reading> {
	const reading = await readMessagesSince(client.within(MAX_FIRST_POLL), from, inboxIds).catch(
		(failure: unknown) => {
			throw activationProblem(failure);
		},
	);
	const doubt = reading.notices.find(({ type }) => type === 'warning');
	if (!doubt) return reading;
	throw activationProblem(new Problem('The list of messages may not be complete', doubt.words));
}

/** Compares the messages of a poll with what the one before left: which are fresh, and which IDs to remember. */
function compare(
	{ idsOfLastPoll, idsMissingInLastPoll = [] }: Partial<Memory>,
	messages: readonly ParsedMessage[],
) {
	const ids = messages.map(idOf);
	const found = new Set(ids);
	// After the first poll, nothing is fresh.
	const known = new Set([...(idsOfLastPoll ?? ids), ...idsMissingInLastPoll]);
	return {
		fresh: messages.filter((_, index) => !known.has(ids[index])),
		idsOfLastPoll: ids,
		idsMissingInLastPoll: (idsOfLastPoll ?? []).filter((id) => !found.has(id)),
	};
}

/** The newest message, for somebody who tries the trigger out. */
async function findNewest(context: IPollFunctions): Promise<IDataObject[]> {
	const wanted = readWanted(context);
	const client = await connect(context);
	const from = Date.now() - LOOK_BACK;
	const reading = await readMessagesSince(client, from, wanted.inboxIds);
	logNotices(context, reading);
	const newest = wanted.select(reading.messages).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		'Send one, or have somebody send one, and try again. Check the direction and the filters, too.',
	);
}

/** Writes into n8n's log what the user should know of the messages. */
function logNotices(context: IPollFunctions, { notices }: Reading): void {
	for (const { words, type } of notices) {
		if (type === 'info') context.logger.info(words, placeOf(context));
		else context.logger.warn(words, placeOf(context));
	}
}

/** What starts the workflow. */
interface Wanted {
	inboxIds: string[];
	/** The output for those that do, the oldest first. */
	select(messages: readonly ParsedMessage[]): IDataObject[];
}

/** @throws {Problem} when a value in the panel cannot be used. */
function readWanted(context: IPollFunctions): Wanted {
	const parameters = PanelValues.ofTrigger(context);
	const raw: INodeParameters = context.getNode().parameters;
	requireFilterValues(parameters, FILTERS, raw);
	const { value: direction } = parameters.choice(directionField, DIRECTIONS);
	const inbound = direction === 'both' ? undefined : direction === 'inbound';
	const common = readCommonFilters(parameters);
	const { inboxIds, contact } = common;
	const filters = { ...common, inbound, statuses: [] };
	const simplify = readOutput(parameters, MESSAGE_OUTPUT);
	const select = (messages: readonly ParsedMessage[]) => {
		const own = new MessagePage(messages).of(contact);
		const matching = own.filter((message) => matchesBesidesContact(message, filters));
		return oldestFirst(matching).map(({ json }) => simplify(json));
	};
	return { inboxIds, select };
}
