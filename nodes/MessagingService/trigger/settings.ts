import type { PanelValues } from '../panel/parameters';
import { skipDuplicatesField } from './deliveries';
import { type EventFilters, readEventFilters } from './filters';
import { readOptions, type TriggerOptions } from './options';
import { readVerification, type Verification } from './verification';

/** How calls are verified, filtered, checked for duplicates and answered. */
export interface Settings {
	/** Undefined when calls need not be verified. */
	verification?: Verification;
	filters: EventFilters;
	/** Whether a delivery starts the workflow only once. */
	skipDuplicates: boolean;
	options: TriggerOptions;
}

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them is invalid. It never falls back to a default.
 */
export function readSettings(values: PanelValues): Settings {
	return {
		verification: readVerification(values),
		filters: readEventFilters(values),
		skipDuplicates: values.isOn(skipDuplicatesField),
		options: readOptions(values),
	};
}
