import type { PanelValues } from '../panel/parameters';
import { skipDuplicatesField } from './deliveries';
import { readEventFilters } from './filters';
import { readOptions } from './options';
import { readVerification } from './verification';

/** How calls are verified, filtered, checked for duplicates and answered. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them is invalid. It never falls back to a default.
 */
export function readSettings(values: PanelValues) {
	return {
		/** Undefined when calls need not be verified. */
		verification: readVerification(values),
		filters: readEventFilters(values),
		/** Whether a delivery starts the workflow only once. */
		skipDuplicates: values.isOn(skipDuplicatesField),
		options: readOptions(values),
	};
}
