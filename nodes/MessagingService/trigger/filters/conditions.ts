import {
	executeFilterCondition,
	type FilterOperatorType,
	type INodeProperties,
} from 'n8n-workflow';
import { isObject, textOf } from '../../api/json';
import { Problem } from '../../nodeError';
import { parseDate } from '../../api/time';
import { type Choice, dropdown, PanelValues } from '../panelValues';
import { describeField, findPath } from '../path';

interface Comparison extends Choice {
	holds(actual: unknown, value: string): boolean;
	takesNoValue?: boolean;
}

// A list is compared by each of its entries. A field that is missing, or null, meets "Does Not Exist" alone.
const COMPARISONS: Comparison[] = [
	{ name: 'Contains', value: 'contains', holds: someText('contains') },
	{ name: 'Does Not Contain', value: 'notContains', holds: everyText('notContains') },
	{ name: 'Does Not Equal', value: 'notEquals', holds: everyText('notEquals') },
	{ name: 'Does Not Exist', value: 'notExists', holds: wholeText('empty'), takesNoValue: true },
	{ name: 'Equals', value: 'equals', holds: someText('equals') },
	{ name: 'Exists', value: 'exists', holds: wholeText('notEmpty'), takesNoValue: true },
	{
		name: 'Is Greater or Later Than',
		value: 'greaterThan',
		holds: bySize({ number: 'gt', dateTime: 'after' }),
	},
	{
		name: 'Is Less or Earlier Than',
		value: 'lessThan',
		holds: bySize({ number: 'lt', dateTime: 'before' }),
	},
	{ name: 'Starts With', value: 'startsWith', holds: someText('startsWith') },
];

const comparison = dropdown(
	{
		displayName: 'Comparison',
		name: 'comparison',
		default: 'equals',
		description: 'How the field is compared',
	},
	COMPARISONS,
);

const field: INodeProperties = {
	displayName: 'Field',
	name: 'field',
	type: 'string',
	default: '',
	placeholder: 'e.g. data.status',
	description: describeField(
		'Field of the body. An event without it meets no condition but "Does Not Exist"',
		'status',
	),
};

const value: INodeProperties = {
	displayName: 'Value',
	name: 'value',
	type: 'string',
	default: '',
	placeholder: 'e.g. delivered',
	description: 'What the field is compared with. Upper and lower case matter.',
	displayOptions: {
		hide: {
			[comparison.field.name]: COMPARISONS.filter(({ takesNoValue }) => takesNoValue).map(
				(each) => each.value,
			),
		},
	},
};

/** Rows of a field, how it is compared, and with what. */
export const conditions: INodeProperties = {
	displayName: 'Conditions',
	name: 'conditions',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add condition',
	default: {},
	description: 'What has to be true of the body. All conditions have to hold.',
	options: [{ displayName: 'Condition', name: 'values', values: [field, comparison.field, value] }],
};

type Condition = ReturnType<typeof readCondition>;

/**
 * Reads the conditions; none when the filter was not added.
 *
 * @throws {Problem} when there is no row, or one has no field, no value or an unknown comparison.
 */
export function readConditions(rows: unknown): Condition[] {
	if (rows === undefined) return [];
	const list = isObject(rows) && Array.isArray(rows.values) ? rows.values : [];
	if (list.length > 0) return list.map((row) => readCondition(PanelValues.in(row)));
	throw new Problem(
		`"${conditions.displayName}" has no condition`,
		'Add a condition, or remove the filter.',
	);
}

function readCondition(row: PanelValues) {
	const condition = {
		field: row.text(field),
		comparison: row.choice(comparison),
		value: row.text(value),
	};
	if (condition.field === '') {
		throw new Problem(
			'A condition has no field',
			'In "Conditions", enter the field of the body that is compared, or remove the condition.',
		);
	}
	if (condition.value === '' && !condition.comparison.takesNoValue) {
		throw new Problem(
			`The condition on "${condition.field}" has no value`,
			'In "Conditions", enter what the field is compared with, or choose "Exists" or "Does Not Exist".',
		);
	}
	return condition;
}

/** A condition in words, such as: status does not equal sent. */
export function describeCondition(condition: Condition): string {
	const { name, takesNoValue } = condition.comparison;
	const words = `${condition.field} ${name.toLowerCase()}`;
	return takesNoValue ? words : `${words} ${condition.value}`;
}

/** Whether a condition holds for a body. */
export function holds(body: unknown, condition: Condition): boolean {
	return condition.comparison.holds(findPath(body, condition.field), condition.value);
}

function someText(operation: string): Comparison['holds'] {
	return (actual, text) => texts(actual).some((each) => judge('string', operation, each, text));
}

function everyText(operation: string): Comparison['holds'] {
	return (actual, text) =>
		textOf(actual) !== undefined &&
		texts(actual).every((each) => judge('string', operation, each, text));
}

function wholeText(operation: string): Comparison['holds'] {
	return (actual) => judge('string', operation, textOf(actual) ?? '', '');
}

/** By size where both sides are numbers, by time where both are dates; anything else is neither more nor less. */
function bySize(operations: { number: string; dateTime: string }): Comparison['holds'] {
	return (actual, text) => {
		const sides = [textOf(actual) ?? '', text];
		if (sides.every(isNumber)) return judge('number', operations.number, sides[0], sides[1]);
		const [left, right] = sides.map(toExactDate);
		return Boolean(left && right) && judge('dateTime', operations.dateTime, left, right);
	};
}

function judge(
	type: FilterOperatorType,
	operation: string,
	leftValue?: string,
	rightValue?: string,
) {
	return executeFilterCondition(
		{ id: '', leftValue, rightValue, operator: { type, operation } },
		{ caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
	);
}

/** A value as texts to compare: of a list, each of its entries. */
function texts(actual: unknown): string[] {
	return [actual].flat().flatMap((each) => textOf(each) ?? []);
}

function isNumber(text: string): boolean {
	return text.trim() !== '' && !Number.isNaN(Number(text));
}

/**
 * A date with its time zone; undefined when the text is none. JavaScript takes nearly everything for a date,
 * "step 5" too, and n8n would read a date without a time zone in that of whichever workflow ran last.
 */
function toExactDate(text: string): string | undefined {
	const time = /^\s*\d{4}-\d\d/.test(text) ? parseDate(text.trim()) : NaN;
	return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
