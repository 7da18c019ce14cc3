/** The ways in which n8n ends an execution, each with what its retries have to do. */
import type { IWorkflowSettings } from 'n8n-workflow';

import type { Fault } from '../../sandbox/service/service.ts';
import { SAVING_PROGRESS } from './texting.ts';

/** How many leads an execution has, and how many of them are in a round of a loop. */
export const LEADS = 12;
export const ROUND = 4;

/** What goes wrong at the service when a node calls it. */
export type Faults = Partial<Record<'A' | 'B' | 'C', Fault>>;

/**
 * What all retries come to, once nothing goes wrong any more: each lead has been sent; or none is sent of which nobody
 * knows whether it was, and an error names those. None sends anything twice.
 */
export type Verdict = 'complete' | 'refuse';

/** How an execution of a webhook, A, B and C ends, of which B is the node of this package, and what follows from that. */
export interface Ending {
	title: string;
	/** What the workflow has besides: a loop around B and C, or a Wait node between A and B. */
	has?: 'loop' | 'wait';
	settings?: IWorkflowSettings;
	/** Whether B has n8n's Retry On Fail. */
	retryOnFail?: boolean;
	/** Milliseconds after which B gives up a call; it waits as long as the service unless given. */
	timeout?: number;
	leads?: number;
	/** What goes wrong in the execution, which then fails, or waits for an answer until something else ends it. */
	faults: Faults;
	/** What goes wrong in a retry of the failed execution. Then it is the retry that waits for an answer. */
	inRetry?: Faults;
	/** So many requests are never answered, where something else ends it. */
	silent?: number;
	/** What goes wrong in the first retry; B is refused in the middle unless given. */
	inNextRetry?: Faults;
	retries: Verdict;
	/** What they come to if n8n has lost its log of events, where that is something else. */
	retriesWithoutLog?: Verdict;
	/** Whether n8n may also have nothing left to run in a retry. */
	mayRunNothing?: boolean;
}

/** Who or what ends an execution. n8n learns from its log of events what was under way when it was killed. */
export type End = 'itself' | 'user' | 'kill' | 'killWithoutLog';

const refused = (exactly: number): Fault => ({
	kind: 'status',
	status: 400,
	requests: { exactly },
});
export const refusedFrom = (from: number): Fault => ({
	kind: 'status',
	status: 400,
	requests: { from },
});
const silentFrom = (from: number): Fault => ({ kind: 'neverAnswer', requests: { from } });

/** Some of the leads are accepted, and the others not answered. */
const MIDDLE_OF_B = { faults: { B: silentFrom(5) }, silent: LEADS - 4 };
const MIDDLE_OF_C = { faults: { C: silentFrom(1) }, silent: 1 };
const MIDDLE_OF_A = { faults: { A: silentFrom(1) }, silent: 1 };

/** In a retry, some more are accepted. */
const RETRY_OF_B = {
	faults: { B: refusedFrom(5) },
	inRetry: { B: silentFrom(3) },
	silent: LEADS - 6,
};
const RETRY_OF_A = {
	faults: { A: refused(1) },
	inRetry: MIDDLE_OF_B.faults,
	silent: MIDDLE_OF_B.silent,
};

/** Milliseconds: a retry waits for calls that are still under way after a stop. */
const SOON = 10_000;

/** It ends by itself. */
const byItself: Ending[] = [
	{ title: 'B fails', faults: { B: refusedFrom(5) }, retries: 'complete' },
	{
		title: 'B fails, also when Retry On Fail runs it again',
		retryOnFail: true,
		faults: { B: refusedFrom(5) },
		retries: 'complete',
	},
	{ title: 'A fails', faults: { A: refused(1) }, retries: 'complete' },
	{
		title: 'B fails in round 2 of a loop',
		has: 'loop',
		faults: { B: refusedFrom(ROUND + 2) },
		retries: 'complete',
	},
	{
		title: 'C fails in round 2 of a loop',
		has: 'loop',
		faults: { C: refused(2) },
		retries: 'complete',
	},
	{
		title: 'the workflow times out during B',
		// On a busy machine, it takes some seconds to come to B.
		settings: { executionTimeout: 10 },
		// A worker of n8n 1.x waits for the end of B.
		timeout: 20_000,
		...MIDDLE_OF_B,
		retries: 'refuse',
		mayRunNothing: true,
	},
];

/** Somebody stops it. */
const byUser: Ending[] = [
	{ title: 'during B', ...MIDDLE_OF_B, retries: 'refuse' },
	{
		title: 'during B with its progress saved',
		settings: SAVING_PROGRESS,
		...MIDDLE_OF_B,
		retries: 'refuse',
	},
	{
		title: 'during B after a Wait node',
		has: 'wait',
		timeout: SOON,
		...MIDDLE_OF_B,
		retries: 'refuse',
	},
	{
		title: 'during B in a retry after B failed',
		timeout: SOON,
		...RETRY_OF_B,
		retries: 'refuse',
	},
	{
		title: 'during B in a retry after A failed',
		timeout: SOON,
		...RETRY_OF_A,
		retries: 'refuse',
	},
];

/** n8n is killed, or the worker. */
const byKill: Ending[] = [
	{ title: 'during B', ...MIDDLE_OF_B, retries: 'refuse' },
	{
		title: 'during B with 400 leads',
		leads: 400,
		faults: { B: silentFrom(201) },
		silent: 100,
		retries: 'refuse',
	},
	{
		title: 'during B, and the first retry fails in A',
		...MIDDLE_OF_B,
		inNextRetry: { A: refused(1) },
		retries: 'refuse',
	},
	{
		title: 'during B in round 2 of a loop',
		has: 'loop',
		faults: { B: silentFrom(ROUND + 2) },
		silent: ROUND - 1,
		retries: 'refuse',
	},
	{ title: 'during B after a Wait node', has: 'wait', ...MIDDLE_OF_B, retries: 'refuse' },
	{
		title: 'during B with its progress saved',
		settings: SAVING_PROGRESS,
		...MIDDLE_OF_B,
		retries: 'refuse',
	},
	{
		title: 'during B in a retry after B failed',
		...RETRY_OF_B,
		retries: 'refuse',
	},
	{
		title: 'during B in a retry after A failed',
		...RETRY_OF_A,
		retries: 'refuse',
	},
	// n8n makes up what A and B gave, and does not say so of a node that had not begun.
	{ title: 'during A', ...MIDDLE_OF_A, retries: 'refuse' },
	{
		title: 'during A with its progress saved',
		settings: SAVING_PROGRESS,
		...MIDDLE_OF_A,
		retries: 'complete',
	},
	{ title: 'during C', ...MIDDLE_OF_C, retries: 'refuse' },
	{
		title: 'during C after a Wait node',
		has: 'wait',
		...MIDDLE_OF_C,
		retries: 'refuse',
		// The retry has what was stored when it waited, and finds in n8n's store what B has sent since.
		retriesWithoutLog: 'complete',
	},
	{
		title: 'during C in round 2 of a loop with its progress saved',
		has: 'loop',
		settings: SAVING_PROGRESS,
		faults: { C: silentFrom(2) },
		silent: 1,
		retries: 'complete',
	},
];

/** All of them. */
export const endings: Record<End, Ending[]> = {
	itself: byItself,
	user: byUser,
	kill: byKill,
	killWithoutLog: byKill.map(({ retries, retriesWithoutLog = retries, ...ending }) => ({
		...ending,
		retries: retriesWithoutLog,
	})),
};
