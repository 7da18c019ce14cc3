import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { MINUTE_MS } from '../api/time';
import { accountKeyOf, connect } from '../n8n/connection';
import { activationProblem, logContext, withNodeErrors } from '../n8n/errors';
import { Problem } from '../words/problem';
import { openCredential } from '../panel/credential';
import { dropdown, type Field } from '../panel/field';
import { filtersField, readFilters } from '../panel/filters';
import { inboxIdsField } from '../panel/inboxIds';
import { readOutput, simplifyField } from '../panel/toolOutput';
import { PanelValues } from '../panel/values';
import {
	matchesFilters,
	phoneFilter,
	readCommonFilters,
	textFilter,
} from '../operations/message/filters';
import { MESSAGE_OUTPUT, oldestFirst, type ParsedMessage } from '../operations/message/message';
import { readMessagesSince } from '../operations/message/readMessages';
import type { Run } from '../operations/operation';
import { LOOK_BACK, type PollMemory, recall, remember, startOfReading } from './memory';

/** Milliseconds for a poll that an activation waits for. n8n gives up an activation after 84 seconds. */
const MAX_ACTIVATION = MINUTE_MS;

const directionField = dropdown({
	// n8n's list of nodes shows an entry for each option of a field with this name.
	displayName: 'Trigger On',
	name: 'direction',
	noDataExpression: true,
	options: [
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
	],
	default: 'inbound',
	description: 'What starts the workflow. It looks for messages at the poll times.',
	hint: 'Messages that are there when you publish do not start the workflow',
});

const messageFiltersField = filtersField(inboxIdsField, phoneFilter, textFilter);

/** The fields of the polling trigger. n8n adds "Poll Times" above them. */
export const pollingFields: Field[] = [directionField, messageFiltersField, simplifyField];

/** The polls in one process of n8n that are under way, by workflow and node: two would find the same messages. */
export type PollsUnderWay = Set<string>;

/**
 * Gives the messages that no poll before has read, the oldest first; null when there are none. The first poll gives none,
 * and a test the newest message.
 *
 * @throws {NodeApiError | NodeOperationError} when messages are missing from the list, or may be in the first poll. Then
 *   nothing is remembered, so the next poll finds all.
 */
export async function poll(
	context: IPollFunctions,
	underWay: PollsUnderWay,
): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	const messages = await withNodeErrors(context.getNode(), async () =>
		isTest ? await findNewest(context) : await findNew(context, underWay),
	);
	return messages.length > 0 ? [messages.map((json) => ({ json }))] : null;
}

/** The newest message, for somebody who tries the trigger out. */
async function findNewest(context: IPollFunctions): Promise<IDataObject[]> {
	const { inboxIds, select } = readWanted(context);
	const client = connect(context, await openCredential(context));
	const from = Date.now() - LOOK_BACK;
	const messages = await readMessagesSince({ add: () => {} }, client, from, { inboxIds });
	const newest = select(messages).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		'Send one, or have somebody send one, and try again. Check "Trigger On" and "Filters".',
	);
}

/** The messages that no poll before has read; none while another poll reads them. */
async function findNew(context: IPollFunctions, underWay: PollsUnderWay): Promise<IDataObject[]> {
	const name = `${context.getWorkflow().id}:${context.getNode().id}`;
	if (underWay.has(name)) return [];
	underWay.add(name);
	return await readNew(context).finally(() => underWay.delete(name));
}

/** Reads the messages, remembers them, and gives those that are new. */
async function readNew(context: IPollFunctions): Promise<IDataObject[]> {
	const { inboxIds, select } = readWanted(context);
	const client = connect(context, await openCredential(context));
	const stored: Partial<PollMemory> = context.getWorkflowStaticData('node');
	const source = JSON.stringify([accountKeyOf(context, client.account), [...inboxIds].sort()]);
	const now = Date.now();
	const last = recall(stored, source, now);
	const add: Run['notices']['add'] = (words, type = 'warning') => {
		// What a first poll does not find would later seem to be new.
		if (!last && type === 'warning') {
			throw new Problem('The list of messages may not be complete', words);
		}
		context.logger[type === 'info' ? 'info' : 'warn'](words, logContext(context));
	};
	// n8n waits for a first poll.
	const patient = last ? client : client.within(MAX_ACTIVATION);
	const from = startOfReading(last, now);
	const messages = await readMessagesSince({ add }, patient, from, { inboxIds }).catch(
		(failure: unknown) => {
			throw last ? failure : activationProblem(failure);
		},
	);
	const isNew = ({ id }: ParsedMessage) => last && !Object.hasOwn(last.knownDates, id);
	const output = select(messages.filter(isNew));
	Object.assign(stored, remember(last, messages, source, now));
	return output;
}

/**
 * Reads what starts the workflow: the inboxes to read, and what selects the messages and gives their output, the oldest
 * first.
 *
 * @throws {Problem} when a value in the panel cannot be used.
 */
function readWanted(context: IPollFunctions) {
	const parameters = PanelValues.ofTrigger(context);
	const rawParameters = context.getNode().parameters;
	const given = readFilters(parameters, messageFiltersField, rawParameters);
	const direction = parameters.choice(directionField);
	const inbound = direction === 'both' ? undefined : direction === 'inbound';
	const filters = { ...readCommonFilters(given), inbound, statuses: [] };
	const simplify = readOutput(parameters, MESSAGE_OUTPUT);
	const select = (messages: readonly ParsedMessage[]): IDataObject[] =>
		oldestFirst(messages.filter((message) => matchesFilters(message, filters))).map(({ json }) =>
			simplify(json),
		);
	return { inboxIds: filters.inboxIds, select };
}
