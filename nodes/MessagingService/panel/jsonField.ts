import type { IDataObject } from 'n8n-workflow';
import { asObject, findInexact, findRepeatedName, isObject, parseJson } from '../api/json';
import { quote } from '../api/text';
import type { Field } from './field';
import { jsonAsWritten } from './itemParameters';
import { isBlank, type PanelValues } from './values';

const IN_BRACES = 'Enter an object in braces, such as {"name": "value"}.';
const USE_FIELDS =
	'If a text has quotes of its own, use fields, or {{ JSON.stringify($json.note) }} without quotes around it.';

/**
 * Reads a JSON object that must not be missing: given as text or, from an expression, as the object itself.
 *
 * @throws {Problem} also when it would lose digits of a long number, or one of two values with the same name.
 */
export function readJsonObject(values: PanelValues, field: Field): IDataObject {
	const { displayName: label, advice = IN_BRACES } = field;
	const value = values.value(field);
	if (isBlank(value)) values.fail(`"${label}" is empty`, advice);
	const parsed = typeof value === 'string' ? parse(values, field, value) : value;
	if (!isObject(parsed)) return values.refuse(field, value, 'has to be a JSON object', IN_BRACES);
	return parsed;
}

/**
 * Reads a JSON object as it was written, with expressions unresolved in its texts. Fails if the resolved object has one of
 * the names and this one has not: a text of the item may have broken out of its quotes. A single expression may give any.
 */
export function readWritten(
	values: PanelValues,
	{ displayName: label }: Field,
	object: IDataObject,
	written: unknown,
	names: readonly string[],
): IDataObject {
	const json = jsonAsWritten(written);
	if (json === undefined) return {};
	const parsed = parseJson(withPlainSpaces(json));
	const known = asObject(parsed);
	const name = names.find((each) => each in object && !(each in known));
	if (name === undefined) return known;
	const got = parsed ? 'got' : 'is no JSON without its expressions, and may have got';
	return values.fail(
		`"${label}" ${got} the name "${name}" from a value of this item`,
		`${USE_FIELDS} To have it there, write it yourself, and let each expression give one value. This run has not sent it.`,
	);
}

function parse(values: PanelValues, field: Field, given: string): unknown {
	const text = withPlainSpaces(given);
	const parsed = parseJson(text);
	if (parsed === undefined) {
		const advice = `Names and texts need double quotes, and there is no comma after the last entry. ${USE_FIELDS}`;
		return values.refuse(field, given, 'is not valid JSON', advice);
	}
	const inexact = findInexact(text);
	if (inexact !== undefined) {
		values.fail(
			`"${field.displayName}" has a number that is too long to be exact: ${inexact}`,
			'Write it in double quotes, as a text.',
		);
	}
	const repeated = findRepeatedName(text);
	if (repeated !== undefined) {
		values.fail(`"${field.displayName}" has the name ${quote(repeated)} twice`, USE_FIELDS);
	}
	return parsed;
}

/** Makes plain spaces of what a copied text brings along outside of its texts: spaces of other kinds, and what nobody sees. */
function withPlainSpaces(json: string): string {
	return json.replace(
		// A text that has no end goes on to the end of all, or each of its quotes would be tried as the beginning of one.
		/"(?:[^"\\]|\\.)*(?:"|\\?$)|\p{Zs}|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gsu,
		(token) => (token.startsWith('"') ? token : ' '),
	);
}
