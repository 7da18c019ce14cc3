import type { INodeProperties } from 'n8n-workflow';
import type { PanelValues } from '../panel/parameters';
import { type DuplicateRule, readDuplicates, skipDuplicatesField } from './duplicates';
import {
	type EventFilters,
	eventsField,
	filtersField,
	ignoreOutboundField,
	readEventFilters,
} from './filters';
import { optionsField, readOptions, type TriggerOptions } from './options';
import { registrationFields, registrationNotices } from './registration/settings';
import { readVerification, type Verification, verificationFields } from './verification';

/** The fields of the trigger's panel, from top to bottom: what nearly everybody needs comes first. */
export const triggerProperties: INodeProperties[] = [
	...registrationNotices,
	...verificationFields,
	eventsField,
	ignoreOutboundField,
	skipDuplicatesField,
	filtersField,
	optionsField,
	...registrationFields,
];

/** How calls are verified, filtered, checked for duplicates and answered. */
export interface Settings {
	/** Undefined when calls need not be verified. */
	verification?: Verification;
	filters: EventFilters;
	/** Undefined when each delivery starts the workflow. */
	duplicates?: DuplicateRule;
	options: TriggerOptions;
}

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them is invalid. It never falls back to a default.
 */
export function readSettings(values: PanelValues): Settings {
	const members = values.membersOf(values.raw(optionsField.name));
	return {
		verification: readVerification(values),
		filters: readEventFilters(values, members),
		duplicates: readDuplicates(values, members),
		options: readOptions(members),
	};
}
