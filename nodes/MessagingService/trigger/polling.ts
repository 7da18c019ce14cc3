import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	IPollFunctions,
} from 'n8n-workflow';
import type { Client } from '../api/client';
import { asObject } from '../api/json';
import { accountKeyOf, connect } from '../n8n/connection';
import { activationProblem, withNodeErrors } from '../n8n/errors';
import { Problem } from '../n8n/problem';
import { inboxIdsField, readInboxIds } from '../panel/inboxIds';
import { filtersField, requireFilterValues } from '../panel/filterFields';
import { PanelValues } from '../panel/parameters';
import { readOutput, simplifyField } from '../panel/toolOutput';
import { indexByNumber, participantsOf, readContact } from '../resources/message/contact';
import { matches, phoneFilter, readText, textFilter } from '../resources/message/filters';
import {
	idOf,
	MESSAGE_OUTPUT,
	oldestFirst,
	type ParsedMessage,
} from '../resources/message/message';
import { readMessagesSince } from '../resources/message/readMessages';
import type { Run } from '../resources/operation';

/** How far a poll looks back behind the one before, in milliseconds: a message may show up long after its date. */
const LOOK_BACK = 2 * 24 * 60 * 60_000;

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
	ids: string[];
	/** Those that the poll before had read and it had not: messages may move between pages while a list is read. */
	passedOver: string[];
}

/** Polls that are under way, by workflow and node. */
const underWay = new Set<string>();

/**
 * Gives the messages that the poll before did not see, the oldest first; null when there are none. The first poll gives
 * none, and a test the newest message.
 *
 * @throws {NodeApiError | NodeOperationError} when the list could not be read as a whole. Then nothing is remembered, so
 *   the next poll finds all.
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
	const isFirst = before.ids === undefined;
	const messages = await readSince(context, client, from, wanted.inboxIds, isFirst).catch(
		(failure: unknown) => {
			throw isFirst ? activationProblem(failure) : failure;
		},
	);
	const ids = messages.map(idOf);
	const found = new Set(ids);
	const seen = new Set([...(before.ids ?? ids), ...(before.passedOver ?? [])]);
	const output = wanted.select(messages.filter((_, index) => !seen.has(ids[index])));
	const passedOver = (before.ids ?? []).filter((id) => !found.has(id));
	Object.assign(memory, { source, polledAt, from, ids, passedOver } satisfies Memory);
	return output;
}

/** The newest message, for somebody who tries the trigger out. */
async function findNewest(context: IPollFunctions): Promise<IDataObject[]> {
	const wanted = readWanted(context);
	const client = await connect(context);
	const from = Date.now() - LOOK_BACK;
	const messages = await readSince(context, client, from, wanted.inboxIds, false);
	const newest = wanted.select(messages).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		'Send one, or have somebody send one, and try again. Check the direction and the filters, too.',
	);
}

/**
 * All messages from a moment on.
 *
 * @param isFirst whether no poll came before: then what is missing now would later seem to be new, so a doubt is a failure
 */
async function readSince(
	{ logger }: IPollFunctions,
	client: Client,
	from: number,
	inboxIds: string[],
	isFirst: boolean,
): Promise<ParsedMessage[]> {
	const notices: Run['notices'] = {
		add(words, type = 'warning') {
			// A warning says that messages may be missing.
			if (isFirst && type === 'warning')
				throw new Problem('The list of messages may not be complete', words);
			logger.warn(words);
		},
	};
	return await readMessagesSince(notices, client, from, inboxIds);
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
	const inboxIds = readInboxIds(parameters);
	const inbound = direction === 'both' ? undefined : direction === 'inbound';
	const filters = { inboxIds, inbound, statuses: [], text: readText(parameters) };
	const hasPhone = asObject(parameters.value(FILTERS.name)).phone !== undefined;
	const contact = hasPhone ? readContact(parameters, `${FILTERS.name}.phone`) : undefined;
	const simplify = readOutput(parameters, MESSAGE_OUTPUT);
	const select = (messages: readonly ParsedMessage[]) => {
		const own = contact ? indexByNumber(messages, participantsOf)(contact.numbers) : messages;
		const matching = own.filter((message) => matches(message, filters));
		return oldestFirst(matching).map(({ json }) => simplify(json));
	};
	return { inboxIds, select };
}
