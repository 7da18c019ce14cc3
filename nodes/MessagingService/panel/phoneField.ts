import type { INodeProperties } from 'n8n-workflow';
import { quote } from '../api/text';
import type { FieldWords, PanelValues } from './parameters';
import { isCountryCode, toE164 } from '../contacts/phone';

/** The option that completes phone numbers without a country code. */
export const defaultCountryCodeField: INodeProperties = {
	displayName: 'Default Country Code',
	name: 'defaultCountryCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. 1',
	description:
		'Completes phone numbers that have no country code, such as (555) 555-0142. Without it, they are refused.',
};

/** Reads the default country code; undefined when it is not set. */
export function readCountryCode(parameters: PanelValues): string | undefined {
	const { displayName, name } = defaultCountryCodeField;
	const code = parameters.text(`options.${name}`, { label: displayName });
	if (code === undefined || isCountryCode(code)) return code;
	return parameters.fail(
		`"${displayName}" is not a country code`,
		'Enter the digits that follow "+", such as 1 for the United States or 44 for the United Kingdom.',
	);
}

/** Reads a phone number in E.164, completed by the option; undefined when it is empty. */
export function readPhone(
	parameters: PanelValues,
	value: unknown,
	words: FieldWords,
): string | undefined {
	const text = parameters.toText(value, words);
	if (text === undefined) return undefined;
	const number = toE164(text, readCountryCode(parameters));
	if (typeof number === 'string') return number;
	return parameters.fail(
		`${words.label} ${quote(text)} ${number.problem}`,
		`${number.advice} ${words.advice ?? ''}`,
	);
}
