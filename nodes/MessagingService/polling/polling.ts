import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { BoundedMap } from '../api/boundedMap';
import type { RequestFailure } from '../api/request';
import { type Clock, MINUTE_MS } from '../api/time';
import { systemClock } from '../n8n/clock';
import { accountIdOf, connect } from '../n8n/connection';
import { activationProblem, explainFailure, logContext } from '../n8n/errors';
import { readMatching } from '../operations/message/readMessages';
import { readAccount, withCredential } from '../panel/credential';
import { inboxIdsField } from '../panel/ids';
import { describeWarning, failedList } from '../words/lists';
import { Problem } from '../words/problem';
import { directionField, messageFiltersField, readWanted, type Wanted } from './fields';
import { blankMemory, LOOK_BACK, planReading, type PollMemory, recall, remember } from './memory';
import {
	DAY,
	type Range,
	type SpansRead,
	type ReadSpan,
	readSpans,
	type Rest,
	shorter,
} from './spans';

/**
 * The most milliseconds for a poll, where n8n does not give it less. n8n gives up an activation, which waits for a poll,
 * after 84 seconds.
 */
const MAX_POLL = MINUTE_MS;
/** How long n8n may take to store what a poll leaves, in milliseconds. */
const STORING = MINUTE_MS / 2;

/** How n8n activates the triggers of workflows that are published already. */
const AT_START = ['init', 'leadershipChange'];

/** What a poll works with. */
interface PollParts {
	wanted: Wanted;
	read: ReadSpan;
	isTimeUp(): boolean;
	/** Writes into n8n's log. */
	log(words: string, type?: 'info' | 'warning'): void;
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
	const messages = await withCredential(context, async (data, redactor) => {
		const account = readAccount(data);
		const wanted = readWanted(context);
		const log: PollParts['log'] = (words, type) =>
			context.logger[type === 'info' ? 'info' : 'warn'](redactor.hide(words), logContext(context));
		// n8n before 2.41 does not say how much time there is.
		const n8n: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
		const time = Math.min(n8n.getPollBudgetMs?.() ?? MAX_POLL, MAX_POLL);
		const { clock, triggers } = state;
		const end = clock.now() + time;
		const isTimeUp = () => clock.now() >= end;
		const client = connect(context, { data, account }, { clock }).within(time);
		const read: ReadSpan = async ({ after, upTo, length }) => {
			const before = upTo === undefined ? undefined : new Date(upTo);
			const filters = { inboxIds: wanted.inboxIds, after: new Date(after), before };
			// A span that is shorter than a day is asked for exactly, or else halving it would change little.
			return await readMatching({ add: log }, client, filters, length < DAY);
		};
		const parts = { wanted, read, isTimeUp, log };
		if (context.getMode() === 'manual') return await findNewest(parts);

		const { id } = context.getWorkflow();
		// A copy of a workflow has its memory, too. The key is no part of this, since it may be replaced at any time.
		const looksAt = [id, accountIdOf(context, account), account.names, wanted.filters];
		const source = JSON.stringify(looksAt);
		const stored = context.getWorkflowStaticData('node');
		const name = `${id}:${context.getNode().name}`;
		const known = triggers.get(name);
		const trigger = known?.source === source ? known : { source, memory: known?.memory };
		triggers.set(name, trigger);
		if (trigger.isPolled) return [];
		trigger.isPolled = true;
		const isStart = !known && AT_START.includes(context.getActivationMode());
		return await findNew(parts, trigger, stored, isStart).finally(() => {
			trigger.isPolled = false;
		});
	});
	return messages.length > 0 ? [messages.map((json) => ({ json }))] : null;
}

/** The newest message, for somebody who tries the trigger out. */
async function findNewest({ read, wanted }: PollParts): Promise<IDataObject[]> {
	const { items, verdict } = await read({ after: Date.now() - LOOK_BACK, length: LOOK_BACK });
	if (verdict.kind === 'error') throw failedList(verdict, 'messages');
	const newest = wanted.select(items).slice(-1);
	if (newest.length > 0) return newest;
	throw new Problem(
		'There was no such message during the last two days',
		`Send one, and try again. Check "${directionField.displayName}" and "${messageFiltersField.displayName}".`,
	);
}

/**
 * Reads the messages, remembers them, and gives those that no poll before has read.
 *
 * @param stored what n8n has stored, and will store if this poll starts the workflow
 * @param isStart whether n8n has just started: it gives up a trigger for good whose first poll keeps failing
 */
async function findNew(
	parts: PollParts,
	trigger: PolledTrigger,
	stored: Partial<PollMemory>,
	isStart: boolean,
): Promise<IDataObject[]> {
	const now = Date.now();
	const { source, started } = trigger;
	const isStored = !started || (stored.readUpTo ?? 0) >= started.readUpTo;
	// n8n's durable scheduler may begin a poll before it has stored what the last one left.
	if (!isStored && Math.abs(now - started.at) < STORING) return [];
	const last = recall([trigger.memory, stored], source, now);
	const before = last ?? blankMemory(source, now);
	const range = planReading(before, now);
	const reading = await readAhead(parts, range, trigger, !last).catch((failure: unknown) => {
		if (!last || !isStart) throw failure;
		parts.log(
			`The next poll reads everything, since this one failed: ${explainFailure(failure).message}`,
		);
	});
	if (!reading) return [];
	const { messages, rest } = reading;
	const fresh = messages.filter(({ id }) => last && !Object.hasOwn(last.knownDates, id));
	const output = parts.wanted.select(fresh);
	const memory = remember(before, messages, range, rest?.after);
	Object.assign(stored, memory);
	if (output.length > 0) trigger.started = { readUpTo: memory.readUpTo, at: Date.now() };
	else trigger.memory = memory;
	return output;
}

/**
 * Reads as much as there is time for; if that is not even one span, the next poll reads a shorter one. A first poll has to
 * find all: what it does not find would later seem to be new.
 *
 * @throws {Problem | RequestFailure} when no span could be read; in a first poll, when something is missing, or may be.
 */
async function readAhead(
	{ read, isTimeUp, log }: PollParts,
	range: Range,
	trigger: PolledTrigger,
	isFirst: boolean,
): Promise<SpansRead> {
	const longest = isFirst ? Infinity : Math.min(range.longest, trigger.longest ?? Infinity);
	const reading = await readSpans({ ...range, longest }, read, isTimeUp);
	const { rest, warnings } = reading;
	const words = warnings.map((warning) => describeWarning(warning, 'messages'));
	if (isFirst) {
		if (rest) throw activationProblem(failureOf(rest));
		if (words.length === 0) return reading;
		throw activationProblem(new Problem('The list of messages may not be complete', words[0]));
	}
	if (rest?.after === range.from) {
		if (!rest.failed) trigger.longest = shorter(rest.length);
		throw failureOf(rest, 'The next poll reads a shorter span of time. ');
	}
	if (!rest) trigger.longest = undefined;
	for (const each of words) log(each);
	return reading;
}

/**
 * Why a span could not be read to its end.
 *
 * @param next what the next poll does if the time was up
 */
function failureOf({ failed }: Rest, next = ''): Problem | RequestFailure {
	if (failed) return failedList(failed, 'messages');
	return new Problem(
		'The messages could not be read in the time that there is for a poll',
		`${next}If this goes on, ask your service why it is slow, or set the filter "${inboxIdsField.displayName}".`,
	);
}

/** A polling trigger as a process of n8n knows it, beside what n8n stores. Its next source is known anew. */
interface PolledTrigger {
	/** What it looks at: the account, and the filters. */
	source: string;
	/** Whether a poll is under way. Another one would find the same messages. */
	isPolled?: boolean;
	/**
	 * What the latest poll that started nothing has left: n8n stores it only when a poll starts the workflow. A poll that
	 * starts it leaves nothing here, since n8n may drop what it gave.
	 */
	memory?: PollMemory;
	/** The latest poll that started the workflow: up to when it has read, and when it ended. */
	started?: { readUpTo: number; at: number };
	/** The longest span that the next poll reads at once, in milliseconds, after one that could not be read in time. */
	longest?: number;
}

/** More triggers than this in one process lose what only the process knows, which costs longer readings. */
const MAX_TRIGGERS = 1_000;

/** What all polling triggers share, in one process of n8n. */
export class PollingState {
	readonly clock: Clock;
	/** By workflow and node. */
	readonly triggers = new BoundedMap<string, PolledTrigger>(MAX_TRIGGERS);

	constructor(clock: Clock = systemClock) {
		this.clock = clock;
	}
}
