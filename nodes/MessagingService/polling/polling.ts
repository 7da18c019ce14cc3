import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Client } from '../api/client';
import { type ListEndpoint, messagesOf } from '../api/listEndpoints';
import type { RequestFailure } from '../api/request';
import { type Clock, MINUTE_MS } from '../api/time';
import { accountKeyOf, connect, type Credential } from '../n8n/connection';
import { activationProblem, logContext } from '../n8n/errors';
import type { Taken } from '../operations/lists';
import type { ParsedMessage } from '../operations/message/message';
import { readMatching } from '../operations/message/readMessages';
import type { Notices } from '../operations/notices';
import { readAccount, withRedactor } from '../panel/credential';
import { inboxIdsField } from '../panel/inboxIds';
import { describeWarning, failedList } from '../words/lists';
import { Problem } from '../words/problem';
import { directionField, messageFiltersField, readWanted, type Wanted } from './fields';
import { LOOK_BACK, type PollMemory, recall, remember, startOfReading } from './memory';
import type { PollingState, TriggerState } from './process';
import { DAY, readSpans, type Rest, shorter, type Span, type Spans } from './spans';

/**
 * The most milliseconds for a poll, where n8n does not give it less. n8n gives up an activation, which waits for a poll,
 * after 84 seconds.
 */
const MAX_POLL = MINUTE_MS;

/** What a poll works with. */
interface Poll {
	context: IPollFunctions;
	client: Client;
	/** The list that it reads, for what is said of it. */
	endpoint: ListEndpoint;
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
	const messages = await withRedactor(context, async (data) => {
		const account = readAccount(data);
		const ready = prepare(context, { data, account }, state.clock);
		const isTest = context.getMode() === 'manual';
		return isTest ? await findNewest(ready) : await findNew(ready, state);
	});
	return messages.length > 0 ? [messages.map((json) => ({ json }))] : null;
}

/** @throws {Problem} when a value in the panel cannot be used. */
function prepare(context: IPollFunctions, credential: Credential, clock: Clock): Poll {
	// n8n before 2.41 does not say how much time there is.
	const n8n: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
	const time = Math.min(n8n.getPollBudgetMs?.() ?? MAX_POLL, MAX_POLL);
	const end = clock.now() + time;
	const { redactor } = credential.account;
	const wanted = readWanted(context);
	return {
		context,
		client: connect(context, credential, { clock }).within(time),
		endpoint: messagesOf(credential.account, wanted),
		wanted,
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
async function findNewest({ client, endpoint, wanted }: Poll): Promise<IDataObject[]> {
	const filters = { inboxIds: wanted.inboxIds, after: new Date(Date.now() - LOOK_BACK) };
	const { items, verdict } = await readMatching({ add: () => {} }, client, filters);
	if (verdict.kind === 'error') throw failedList(verdict, endpoint);
	const newest = wanted.select(items).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		`Send one, or have somebody send one, and try again. Check "${directionField.displayName}" and "${messageFiltersField.displayName}".`,
	);
}

/** The messages that no poll before has read; none while another poll reads them. */
async function findNew(each: Poll, state: PollingState): Promise<IDataObject[]> {
	const { context } = each;
	const trigger = state.of(`${context.getWorkflow().id}:${context.getNode().name}`);
	if (trigger.isUnderWay) return [];
	trigger.isUnderWay = true;
	return await readNew(each, trigger).finally(() => {
		trigger.isUnderWay = false;
	});
}

/** Reads the messages, remembers them, and gives those that are new. */
async function readNew(each: Poll, trigger: TriggerState): Promise<IDataObject[]> {
	const { context, client, endpoint, wanted, notices } = each;
	const { account } = client;
	const stored: Partial<PollMemory> = context.getWorkflowStaticData('node');
	// A copy of the workflow has its memory, too. The key is no part of it, since it may be replaced at any time.
	const source = JSON.stringify([
		context.getWorkflow().id,
		accountKeyOf(context, account),
		account.names,
		wanted.source,
	]);
	const now = Date.now();
	const last = recall([stored, trigger.memory], source, now);
	const from = startOfReading(last, now);
	const isBehind = last && (last.goOnAt !== undefined || now - last.readUpTo > DAY);
	const longest = Math.min(trigger.longest ?? Infinity, isBehind ? DAY : Infinity);
	const read = async (span: Span) => await readSpan(each, span);
	const spans = await readSpans({ from, now, longest }, read, each.isTimeUp);
	const { rest, warnings, messages } = spans;
	if (!last) requireAll(each, spans);
	else if (rest?.after === from) throw failureOf(each, rest, trigger);
	if (!rest) trigger.longest = undefined;
	for (const warning of warnings) notices.add(describeWarning(warning, endpoint), 'warning');
	const fresh = messages.filter(({ id }) => last && !Object.hasOwn(last.knownDates, id));
	const output = wanted.select(fresh);
	const memory = remember(last, { source, from, messages, goOnAt: rest?.after }, now);
	Object.assign(stored, memory);
	if (output.length === 0) trigger.memory = memory;
	return output;
}

/** Reads a span. One that is shorter than a day is asked for exactly, or else halving it would change little. */
async function readSpan(
	{ client, wanted: { inboxIds }, notices }: Poll,
	{ after, upTo, length }: Span,
): Promise<Taken<ParsedMessage>> {
	const before = upTo === undefined ? undefined : new Date(upTo);
	const filters = { inboxIds, after: new Date(after), before };
	return await readMatching(notices, client, filters, length < DAY);
}

/**
 * Makes sure that a first poll has found all: what it does not find would later seem to be new.
 *
 * @throws {Problem} when something is missing, or may be.
 */
function requireAll(each: Poll, { rest, warnings: [warning] }: Spans): void {
	if (rest) throw activationProblem(failureOf(each, rest));
	if (!warning) return;
	const words = describeWarning(warning, each.endpoint);
	throw activationProblem(new Problem('The list of messages may not be complete', words));
}

/** Why a span could not be read to its end. If that has only taken too long, the next poll reads a shorter one. */
function failureOf(
	{ endpoint, isTimeUp }: Poll,
	{ length, failed }: Rest,
	trigger?: TriggerState,
): Problem | RequestFailure {
	if (failed && (failed.read === 0 || !isTimeUp())) return failedList(failed, endpoint);
	if (trigger) trigger.longest = shorter(length);
	const next = trigger ? 'The next poll reads a shorter span of time. ' : '';
	return new Problem(
		'The messages could not be read in the time that there is for a poll',
		`${next}If this happens again and again, ask your service why it is slow, or set the filter "${inboxIdsField.displayName}".`,
	);
}
