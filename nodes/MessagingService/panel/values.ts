import {
	type IDataObject,
	type IHookFunctions,
	type IPollFunctions,
	isResourceLocatorValue,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { asObject, isInexact } from '../api/json';
import { pasted, quote } from '../api/text';
import { Problem } from '../words/problem';
import type { Dropdown, Field, Named, NumberField } from './field';

const LOST_DIGITS = 'It has lost its last digits already. Have it as a text where it comes from.';

/**
 * The one reader of the panel: of the action node for one of its items, of both triggers and of the credential. It checks
 * each value before anything is sent, and takes the default of the field where the value is empty. For a value that cannot
 * be used, it throws a Problem with the label of the field.
 */
export class PanelValues {
	/** The time zone of dates that have none. */
	readonly timezone: string;
	private readonly read: (name: string) => unknown;
	/** What was read so far. n8n resolves a collection as a whole, so it is read once for all of its members. */
	private readonly known = new Map<string, unknown>();

	constructor(read: (name: string) => unknown, timezone = 'UTC') {
		this.read = read;
		this.timezone = timezone;
	}

	/** The panel of a trigger, for its activation, its deactivation, its polls and its webhook calls. */
	static ofTrigger(context: IHookFunctions | IPollFunctions | IWebhookFunctions): PanelValues {
		return new PanelValues((name) => context.getNodeParameter(name, null), context.getTimezone());
	}

	/** Values that are known already, such as those of a credential. */
	static of(values: Readonly<Record<string, unknown>>): PanelValues {
		return new PanelValues((name) => values[name]);
	}

	/** The members of a collection. */
	members(collection: Pick<Field, 'name'>): PanelValues {
		const members = asObject(this.value(collection));
		return new PanelValues((name) => members[name], this.timezone);
	}

	/** The value as it is, unchecked; undefined when it is not set. */
	value({ name }: Pick<Field, 'name'>): unknown {
		if (!this.known.has(name)) this.known.set(name, this.read(name) ?? undefined);
		return this.known.get(name);
	}

	/** Whether a field has a value. A member of a collection has one only if it was added. */
	has(field: Pick<Field, 'name'>): boolean {
		return !isBlank(this.value(field));
	}

	/** The text of a field or of its resource locator, without outer spaces and what nobody sees. */
	text(field: Field): string {
		const otherwise = typeof field.default === 'string' ? field.default : '';
		return this.toText(field, this.value(field)) ?? otherwise;
	}

	/** A text that must not be empty. */
	requiredText(field: Field): string {
		const text = this.text(field);
		return text === '' ? this.fail(`"${field.displayName}" is empty`, field.advice) : text;
	}

	/** Texts separated by commas, or a list of them from an expression; none when it is empty. */
	texts(field: Field): string[] {
		const values = [this.value(field)].flat();
		return values.flatMap((value) => splitList(this.toText(field, value) ?? ''));
	}

	/** Whether a switch is on. Spreadsheets give the words "true" and "false". */
	isOn(field: Field): boolean {
		const value = this.value(field);
		if (isBlank(value)) return field.default === true;
		const word = pasted(String(value)).toLowerCase();
		if (word === 'true' || word === 'false') return word === 'true';
		return this.refuse(field, value, 'has to be true or false');
	}

	/** The chosen value of a dropdown, given by value or label, in upper or lower case. */
	choice<Value extends string>(field: Dropdown<Value>): Value {
		const text = this.text(field);
		const isMeant = (word: string) => word.toLowerCase() === text.toLowerCase();
		const chosen = field.options.find(({ name, value }) => isMeant(value) || isMeant(name));
		if (chosen) return chosen.value;
		const names = field.options.map(({ name }) => name).join(', ');
		return this.fail(
			`"${field.displayName}" has an unknown value: ${quote(text)}`,
			`Use one of these: ${names}.`,
		);
	}

	/** A whole number within the bounds of its field. */
	integer(field: NumberField): number {
		const value = this.value(field);
		if (isBlank(value)) return field.default;
		const number = typeof value === 'string' ? Number(pasted(value)) : value;
		const { minValue, maxValue = Infinity } = field.typeOptions;
		const isWhole = typeof number === 'number' && Number.isSafeInteger(number);
		if (isWhole && number >= minValue && number <= maxValue) return number;
		const bounds =
			maxValue === Infinity ? `of at least ${minValue}` : `from ${minValue} to ${maxValue}`;
		return this.refuse(field, value, `has to be a whole number ${bounds}`);
	}

	/** Converts a value to text, also a number, since spreadsheets give numbers for texts; undefined when it is empty. */
	toText(field: Named, value: unknown): string | undefined {
		const content = isResourceLocatorValue(value) ? value.value : value;
		if (isBlank(content)) return undefined;
		if (typeof content === 'string') return pasted(content);
		if (isInexact(content)) {
			return this.refuse(field, content, 'is a number that is too long to be exact', LOST_DIGITS);
		}
		if (typeof content === 'number' && Number.isFinite(content)) return String(content);
		return this.refuse(field, content, 'has to be text');
	}

	/** Fails for a value that cannot be used, with an error that shows it. */
	refuse(field: Named, value: unknown, problem: string, advice = field.advice ?? ''): never {
		return this.fail(
			`"${field.displayName}" ${problem}`,
			`${advice} The value is ${quote(value)}.`,
		);
	}

	/** Fails with an error about one of the values: what is wrong with it, and what to do. */
	fail(message: string, advice = ''): never {
		throw new Problem(message, advice.trim());
	}
}

/** Whether a value of the panel or of an expression is empty. */
export function isBlank(value: unknown): boolean {
	if (typeof value === 'string') return pasted(value) === '';
	return value === undefined || value === null;
}

/** The entries of a text that are separated by commas, without the white space around them and what nobody sees. */
export function splitList(text: string): string[] {
	return text.split(',').map(pasted).filter(Boolean);
}

/** The texts that pickers or expressions give: in a list, between commas, or as IDs of objects; none when empty. */
export function textsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(textsIn);
	// An object with neither, such as a date, is read as text.
	const { id, value: picked }: IDataObject = asObject(value);
	if (id !== undefined || picked !== undefined) return textsIn(id ?? picked);
	return splitList(String(value ?? ''));
}
