import type { INodeProperties } from 'n8n-workflow';
import type { Parameters } from './parameters';
import { isCountryCode } from './phone';

/** The option that completes phone numbers without a country code. */
export const defaultCountryCode: INodeProperties = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1',
	description:
		'Completes phone numbers that have no country code, such as (555) 555-0100. Without it, they are refused.',
};

/** Reads what completes phone numbers without a country code. */
export function readCountryCode(parameters: Parameters): string | undefined {
	const { displayName, name } = defaultCountryCode;
	const code = parameters.text(`options.${name}`, { label: displayName });
	if (code === undefined || isCountryCode(code)) return code;
	return parameters.fail(
		`"${displayName}" is not a country code`,
		'Enter the digits that follow "+", such as 1 for the United States or 44 for the United Kingdom.',
	);
}
