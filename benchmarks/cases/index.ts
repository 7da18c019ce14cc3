import type { CaseName } from '../options.ts';
import type { Findings } from '../results.ts';
import type { CaseContext } from './context.ts';
import { measureEvents } from './events.ts';
import { measureGrowth } from './growth.ts';
import { measureInvocations } from './invoke.ts';
import { measureLimit } from './limit.ts';
import { measureLists } from './list.ts';
import { measureLoad } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureOnce } from './once.ts';

/** All cases by their names on the command line. */
export const CASES: Record<CaseName, (context: CaseContext) => Promise<Findings>> = {
	list: measureLists,
	invoke: measureInvocations,
	growth: measureGrowth,
	once: measureOnce,
	limit: measureLimit,
	memory: measureMemory,
	load: measureLoad,
	events: measureEvents,
};
