import type { INodeProperties } from 'n8n-workflow';
import { type EventFilters, events, filters, readFilters } from './filters';
import { type AddressCheck, addressCheckFields, readAddressCheck } from './handshake/settings';
import { type Options, options, readOptions } from './options';
import type { PanelValues } from './panelValues';
import { registrationFields } from './registration/settings';
import { readVerification, type Verification, verificationFields } from './verification';

/** The fields of the trigger's panel, from top to bottom. */
export const properties: INodeProperties[] = [
	...registrationFields,
	...addressCheckFields,
	events,
	...verificationFields,
	filters,
	options,
];

/** How calls are verified, filtered and answered. */
export interface Settings {
	addressCheck: AddressCheck;
	/** Undefined when calls need not be verified. */
	verification?: Verification;
	filters: EventFilters;
	options: Options;
}

/**
 * Reads all settings that a call depends on.
 *
 * @throws {Problem} when one of them cannot be used. It is never taken for another.
 */
export function readSettings(values: PanelValues): Settings {
	return {
		addressCheck: readAddressCheck(values),
		verification: readVerification(values),
		filters: readFilters(values),
		options: readOptions(values),
	};
}
