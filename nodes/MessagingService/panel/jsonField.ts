import type { IDataObject } from 'n8n-workflow';
import { findInexact, findRepeatedName, isObject, parseJson } from '../api/json';
import { quote } from '../api/text';
import { type FieldWords, isBlank, type ItemParameters } from './parameters';

const IN_BRACES = 'Enter an object in braces, such as {"name": "value"}.';
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
	if (isBlank(value)) parameters.fail(`"${words.label}" is empty`, words.advice ?? IN_BRACES);
	const parsed = typeof value === 'string' ? parse(parameters, value, words) : value;
	if (isObject(parsed)) return parsed;
	return parameters.refuse(value, words, 'has to be a JSON object', IN_BRACES);
}

function parse(parameters: ItemParameters, text: string, words: FieldWords): unknown {
	const parsed = parseJson(text);
	if (parsed === undefined) {
		const advice = `Names and texts need double quotes, and there is no comma after the last entry. ${USE_FIELDS}`;
		return parameters.refuse(text, words, 'is not valid JSON', advice);
	}
	const inexact = findInexact(text);
	if (inexact !== undefined) {
		parameters.fail(
			`"${words.label}" has a number that is too long to be exact: ${inexact}`,
			'It would lose its last digits. Write it in double quotes, as a text.',
		);
	}
	const repeated = findRepeatedName(text);
	if (repeated !== undefined) {
		parameters.fail(
			`"${words.label}" has the name ${quote(repeated)} twice`,
			`Only the last of them would count. ${USE_FIELDS}`,
		);
	}
	return parsed;
}
