import type { IDataObject } from 'n8n-workflow';
import { findInexact, findRepeatedName, isObject, quote } from '../api/json';
import { type FieldWords, isBlank, type ItemParameters } from './parameters';

const USE_FIELDS =
	'A text from the input may have quotes of its own: use fields instead of JSON, or {{ JSON.stringify($json.note) }} without quotes around it.';

/**
 * Reads a JSON object that must not be missing: given as text or, from an expression, as the object itself.
 *
 * @throws {Problem} also when it would lose something: digits of a long number, or one of two values with the same name.
 */
export function readJsonObject(
	parameters: ItemParameters,
	name: string,
	words: FieldWords,
): IDataObject {
	const value = parameters.value(name);
	if (isBlank(value)) {
		parameters.fail(
			`"${words.label}" is empty`,
			words.advice ?? 'Enter an object such as {"name": "value"}.',
		);
	}
	const parsed = typeof value === 'string' ? parse(parameters, value, words) : value;
	if (isObject(parsed)) return parsed;
	const advice = 'An object is written in braces, such as {"name": "value"}.';
	return parameters.refuse(value, words, 'has to be a JSON object', advice);
}

function parse(parameters: ItemParameters, text: string, { label }: FieldWords): unknown {
	const inexact = findInexact(text);
	if (inexact !== undefined) {
		parameters.fail(
			`"${label}" has a number that is too long to be exact: ${inexact}`,
			'It would lose its last digits. Write it in double quotes, as a text.',
		);
	}
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch (error) {
		parameters.fail(
			`"${label}" is not valid JSON`,
			`${error instanceof Error ? error.message : 'It cannot be read'}. Names and texts need double quotes, and there is no comma after the last entry. ${USE_FIELDS}`,
		);
	}
	const repeated = findRepeatedName(text);
	if (repeated !== undefined) {
		parameters.fail(
			`"${label}" has the name ${quote(repeated)} twice`,
			`Only the last of them would count. ${USE_FIELDS}`,
		);
	}
	return parsed;
}
