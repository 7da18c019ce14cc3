import type { INodeProperties } from 'n8n-workflow';
import type { PanelValues } from '../panel/parameters';
import { readDuplicates, skipDuplicates } from './duplicates';
import { events, filters, ignoreOutbound, readEventFilters } from './filters';
import { options, readOptions } from './options';
import { registrationFields, registrationNotices } from './registration/settings';
import { readVerification, verificationFields } from './verification';

/** The fields of the trigger's panel, from top to bottom: what nearly everybody needs comes first. */
export const triggerProperties: INodeProperties[] = [
	...registrationNotices,
	...verificationFields,
	events,
	ignoreOutbound,
	skipDuplicates,
	filters,
	options,
	...registrationFields,
];

/** How calls are verified, filtered, told apart and answered. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them cannot be used. It is never taken for another.
 */
export function readSettings(values: PanelValues) {
	const members = values.membersOf(values.raw(options.name));
	return {
		/** Undefined when calls need not be verified. */
		verification: readVerification(values),
		filters: readEventFilters(values, members),
		/** Undefined when each delivery starts the workflow. */
		duplicates: readDuplicates(values, members),
		options: readOptions(members),
	};
}
