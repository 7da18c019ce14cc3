import { measureCapacity } from './capacity.ts';
import { measureContacts } from './contacts.ts';
import { measureEvents } from './events.ts';
import { measureGrowth } from './growth.ts';
import { measureInvocations } from './invoke.ts';
import { measureLimit } from './limit.ts';
import { measureLists } from './list.ts';
import { measureLoad } from './load.ts';
import { measureMemory } from './memory.ts';
import { measureOnce } from './once.ts';
import { measureResponsiveness } from './responsive.ts';

/** All cases by their names on the command line. */
export const CASES = {
	list: measureLists,
	contacts: measureContacts,
	invoke: measureInvocations,
	growth: measureGrowth,
	once: measureOnce,
	capacity: measureCapacity,
	limit: measureLimit,
	memory: measureMemory,
	responsive: measureResponsiveness,
	load: measureLoad,
	events: measureEvents,
};

export type CaseName = keyof typeof CASES;

export const isCaseName = (name: string): name is CaseName => Object.hasOwn(CASES, name);
