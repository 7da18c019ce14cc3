import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Client } from '../api/client';
import { MESSAGES } from '../api/listEndpoints';
import type { RequestFailure } from '../api/request';
import { type Clock, MINUTE_MS } from '../api/time';
import { accountKeyOf, connect, type Credential } from '../n8n/connection';
import { activationProblem, logContext } from '../n8n/errors';
import { readMatching } from '../operations/message/readMessages';
import { NO_NOTICES, type Notices } from '../operations/operation';
import { readAccount, withRedactor } from '../panel/credential';
import { inboxIdsField } from '../panel/ids';
import { describeWarning, failedList } from '../words/lists';
import { Problem } from '../words/problem';
import { directionField, messageFiltersField, readWanted, type Wanted } from './fields';
import {
	isBeingStored,
	LOOK_BACK,
	planReading,
	type PolledTrigger,
	type PollingState,
	type PollMemory,
	recall,
	remember,
} from './memory';
import { DAY, type Range, readSpans, type Rest, shorter, type Span, type Spans } from './spans';

/**
 * The most milliseconds for a poll, where n8n does not give it less. n8n gives up an activation, which waits for a poll,
 * after 84 seconds.
 */
const MAX_POLL = MINUTE_MS;

/** What a poll works with. */
interface Poll {
	context: IPollFunctions;
	client: Client;
	wanted: Wanted;
	notices: Notices;
	/** Whether the time for it is up. */
	isTimeUp(): boolean;
}

/**
 * Gives the messages that no poll before has read, the oldest first; null when there are none. The first poll gives none,
 * and a test the newest message.
 *
 * @throws {NodeApiError | NodeOperationError} when messages cannot be read, or may be missing in the first poll. Then
 *   nothing is remembered, so the next poll finds all.
 */
export async function poll(
	context: IPollFunctions,
	state: PollingState,
): Promise<INodeExecutionData[][] | null> {
	const name = `${context.getWorkflow().id}:${context.getNode().name}`;
	const messages = await withRedactor(context, async (data) => {
		const each = prepare(context, { data, account: readAccount(data) }, state.clock);
		if (context.getMode() === 'manual') return await findNewest(each);
		return await state.alone(name, async (trigger) => await findNew(each, trigger));
	});
	return messages?.length ? [messages.map((json) => ({ json }))] : null;
}

/** @throws {Problem} when a value in the panel cannot be used. */
function prepare(context: IPollFunctions, credential: Credential, clock: Clock): Poll {
	// n8n before 2.41 does not say how much time there is.
	const n8n: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
	const time = Math.min(n8n.getPollBudgetMs?.() ?? MAX_POLL, MAX_POLL);
	const end = clock.now() + time;
	const { redactor } = credential.account;
	return {
		context,
		client: connect(context, credential, { clock }).within(time),
		wanted: readWanted(context),
		notices: {
			add: (words, type = 'warning') =>
				context.logger[type === 'info' ? 'info' : 'warn'](
					redactor.hide(words),
					logContext(context),
				),
		},
		isTimeUp: () => clock.now() >= end,
	};
}

/** The newest message, for somebody who tries the trigger out. */
async function findNewest({ client, wanted }: Poll): Promise<IDataObject[]> {
	const filters = { inboxIds: wanted.inboxIds, after: new Date(Date.now() - LOOK_BACK) };
	const { items, verdict } = await readMatching(NO_NOTICES, client, filters);
	if (verdict.kind === 'error') throw failedList(verdict, MESSAGES);
	const newest = wanted.select(items).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		`Send one, and try again. Check "${directionField.displayName}" and "${messageFiltersField.displayName}".`,
	);
}

/** Reads the messages, remembers them, and gives those that no poll before has read. */
async function findNew(each: Poll, trigger: PolledTrigger): Promise<IDataObject[]> {
	const { context, wanted } = each;
	const stored: Partial<PollMemory> = context.getWorkflowStaticData('node');
	const source = sourceOf(each);
	const now = Date.now();
	if (isBeingStored(stored, now, trigger.started)) return [];
	const last = recall([stored, trigger.memory], source, now);
	const range = planReading(last, now);
	const { messages, rest } = await (last ? readOn(each, range, trigger) : readFirst(each, range));
	const fresh = messages.filter(({ id }) => last && !Object.hasOwn(last.knownDates, id));
	const output = wanted.select(fresh);
	const memory = remember(last, { source, from: range.from, messages, goOnAt: rest?.after }, now);
	Object.assign(stored, memory);
	if (output.length > 0) trigger.started = { readUpTo: memory.readUpTo, at: Date.now() };
	else trigger.memory = memory;
	return output;
}

/** Identifies what a poll looks at. The key is no part of it, since it may be replaced at any time. */
function sourceOf({ context, client: { account }, wanted }: Poll): string {
	// A copy of a workflow has its memory, too.
	const { id } = context.getWorkflow();
	return JSON.stringify([id, accountKeyOf(context, account), account.names, wanted.source]);
}

/**
 * Reads for a first poll, which has to find all: what it does not find would later seem to be new.
 *
 * @throws {Problem} when something is missing, or may be.
 */
async function readFirst(each: Poll, range: Range): Promise<Spans> {
	const spans = await readRange(each, range);
	const [warning] = spans.warnings;
	if (spans.rest) throw activationProblem(failureOf(spans.rest));
	if (!warning) return spans;
	const words = describeWarning(warning, MESSAGES);
	throw activationProblem(new Problem('The list of messages may not be complete', words));
}

/**
 * Reads for a later poll as much as there is time for. If that is not even one span, the next poll reads a shorter one.
 *
 * @throws {Problem | RequestFailure} when no span could be read.
 */
async function readOn(each: Poll, range: Range, trigger: PolledTrigger): Promise<Spans> {
	const longest = Math.min(range.longest, trigger.longest ?? Infinity);
	const spans = await readRange(each, { ...range, longest });
	const { rest, warnings } = spans;
	if (rest?.after === range.from) {
		if (!rest.failed) trigger.longest = shorter(rest.length);
		throw failureOf(rest, 'The next poll reads a shorter span of time. ');
	}
	if (!rest) trigger.longest = undefined;
	for (const warning of warnings) each.notices.add(describeWarning(warning, MESSAGES), 'warning');
	return spans;
}

/** Reads spans. One that is shorter than a day is asked for exactly, or else halving it would change little. */
async function readRange(
	{ client, wanted, notices, isTimeUp }: Poll,
	range: Range,
): Promise<Spans> {
	const { inboxIds } = wanted;
	const read = async ({ after, upTo, length }: Span) => {
		const before = upTo === undefined ? undefined : new Date(upTo);
		const filters = { inboxIds, after: new Date(after), before };
		return await readMatching(notices, client, filters, length < DAY);
	};
	return await readSpans(range, read, isTimeUp);
}

/**
 * Why a span could not be read to its end.
 *
 * @param next what the next poll does if the time was up
 */
function failureOf({ failed }: Rest, next = ''): Problem | RequestFailure {
	if (failed) return failedList(failed, MESSAGES);
	return new Problem(
		'The messages could not be read in the time that there is for a poll',
		`${next}If this goes on, ask your service why it is slow, or set the filter "${inboxIdsField.displayName}".`,
	);
}
