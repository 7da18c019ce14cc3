import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isObject, parseJson, shorten } from '../api/json';
import { Problem } from '../nodeError';
import { readDate } from './date';
import { UUID } from './locators';
import { toE164 } from './phone';
import { splitList } from './splitList';

/** What a value is called in the panel, and where to find the right one. */
export interface FieldWords {
	/** Display name of the parameter. */
	label: string;
	/** What to do when the value cannot be used. */
	advice?: string;
}

const WHOLE_UUID = new RegExp(`^${UUID}$`);
const LONGEST_QUOTE = 100;

/**
 * Reads the parameters of a node for one item, checked before anything is sent. Names may be paths such
 * as `options.page`. Each reader throws a Problem that names the parameter as the panel does.
 */
export class Parameters {
	/** The item that the values are for. */
	readonly itemIndex: number;
	private readonly context: IExecuteFunctions;
	/** Options, filters and the like, which n8n resolves as a whole. */
	private readonly collections = new Map<string, unknown>();

	constructor(context: IExecuteFunctions, itemIndex: number) {
		this.context = context;
		this.itemIndex = itemIndex;
	}

	/** The value as it is; undefined when it is not set. */
	raw(name: string): unknown {
		const [collection, member] = name.split('.');
		if (member === undefined) return this.collections.get(name) ?? this.read(name);
		const members = this.collections.get(collection) ?? this.read(collection);
		this.collections.set(collection, members);
		return isObject(members) ? (members[member] ?? undefined) : undefined;
	}

	/** Whether an expression reads a field that the item does not have. An empty cell is null or an empty text instead. */
	isMissing(name: string): boolean {
		return this.context.getNodeParameter(name, this.itemIndex, null) === undefined;
	}

	/** Goes on as if a member of a collection had not been added. */
	leaveOut(collection: string, member: string): void {
		const members = this.raw(collection);
		if (!isObject(members)) return;
		const others = Object.entries(members).filter(([name]) => name !== member);
		this.collections.set(collection, Object.fromEntries(others));
	}

	private read(name: string): unknown {
		const value: unknown = this.context.getNodeParameter(name, this.itemIndex, null);
		return value ?? undefined;
	}

	/** A text, trimmed; undefined when it is empty. Numbers become text, as sheets give them. */
	text(name: string, words: FieldWords): string | undefined {
		return this.toText(this.raw(name), words);
	}

	requiredText(name: string, words: FieldWords): string {
		return this.text(name, words) ?? this.fail(`"${words.label}" is empty`, words.advice);
	}

	/** Texts separated by commas, or a list of them from an expression; none when it is empty. */
	texts(name: string, words: FieldWords): string[] {
		return [this.raw(name)].flat().flatMap((value) => splitList(this.toText(value, words) ?? ''));
	}

	/** What a resource locator holds; also the text itself, as expressions give it. */
	located(name: string, words: FieldWords): string {
		const locator = this.raw(name);
		const value = this.toText(isObject(locator) ? locator.value : locator, words);
		return value ?? this.fail(`"${words.label}" is empty`, words.advice);
	}

	/** A UUID; undefined when it is empty. */
	uuid(name: string, words: FieldWords): string | undefined {
		const value = this.text(name, words);
		return value === undefined ? undefined : this.toUuid(value, words);
	}

	requiredUuid(name: string, words: FieldWords): string {
		return this.toUuid(this.requiredText(name, words), words);
	}

	toUuid(value: string, words: FieldWords): string {
		if (WHOLE_UUID.test(value)) return value;
		return this.fail(
			`"${words.label}" is not a valid ID`,
			`An ID looks like 123e4567-e89b-12d3-a456-426614174000, but the value is ${quoted(value)}. ${words.advice ?? ''}`,
		);
	}

	/** A whole number of at least `least`; undefined when it is empty. */
	integer(name: string, least: number, words: FieldWords): number | undefined {
		const value = this.raw(name);
		if (value === undefined || isBlank(value)) return undefined;
		const number = typeof value === 'string' ? Number(value) : value;
		if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least)
			return number;
		return this.fail(
			`"${words.label}" has to be a whole number of at least ${least}`,
			`The value is ${quoted(value)}.`,
		);
	}

	/** A yes or no; also as the text that sheets give. Undefined when it is not set. */
	boolean(name: string, words: FieldWords): boolean | undefined {
		return this.toBoolean(this.raw(name), words);
	}

	toBoolean(value: unknown, words: FieldWords): boolean | undefined {
		if (value === undefined || value === null || value === '') return undefined;
		if (typeof value === 'boolean') return value;
		const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
		if (word === 'true' || word === 'false') return word === 'true';
		return this.fail(`"${words.label}" has to be true or false`, `The value is ${quoted(value)}.`);
	}

	/** A JSON object, given as text or, from an expression, as the object itself. */
	object(name: string, words: FieldWords): IDataObject {
		const value = this.raw(name);
		const parsed = typeof value === 'string' ? parseJson(value) : value;
		if (isObject(parsed) && !isDate(parsed)) return parsed;
		if (typeof value === 'string' && parsed === undefined) {
			if (!isBlank(value)) {
				return this.fail(`"${words.label}" is not valid JSON`, jsonFault(value));
			}
			return this.fail(
				`"${words.label}" is empty`,
				words.advice ?? 'Enter an object such as {"name": "value"}.',
			);
		}
		return this.fail(
			`"${words.label}" has to be a JSON object`,
			`An object is written in braces, such as {"name": "value"}. The value is ${quoted(value)}.`,
		);
	}

	/** A point in time; one without a zone is read in the workflow's time zone. Undefined when empty. */
	date(name: string, words: FieldWords): Date | undefined {
		const value = this.raw(name);
		if (value === undefined || isBlank(value)) return undefined;
		const date = readDate(value, this.context.getTimezone());
		if (date) return date;
		return this.fail(
			`"${words.label}" is not a valid date`,
			`Enter a date such as 2026-01-31 or 2026-01-31T08:00:00, or convert it, such as by {{ DateTime.fromFormat($json.date, 'dd/MM/yyyy') }}. The value is ${quoted(value)}.`,
		);
	}

	/** A phone number in E.164; undefined when it is empty. */
	toPhone(value: unknown, words: FieldWords, defaultCountryCode?: string): string | undefined {
		const text = this.toText(value, words);
		if (text === undefined) return undefined;
		const number = toE164(text, defaultCountryCode);
		if (typeof number === 'string') return number;
		return this.fail(
			`"${words.label}" ${number.problem}`,
			`${number.advice} The value is ${quoted(text)}. ${words.advice ?? ''}`,
		);
	}

	/** Checks that a value is a text, or a number that can be written as one. */
	toText(value: unknown, words: FieldWords): string | undefined {
		if (value === undefined || value === null) return undefined;
		if (typeof value === 'string') return value.trim() || undefined;
		if (typeof value === 'number' && Number.isFinite(value)) return String(value);
		return this.fail(`"${words.label}" has to be text`, `The value is ${quoted(value)}.`);
	}

	/** Ends the item with an error about one of its parameters. */
	fail(message: string, description?: string): never {
		throw new Problem(message, description?.trim());
	}
}

/** Whether an object is a point in time: what it is made of inside means nothing to anybody. */
function isDate(value: object): boolean {
	return value instanceof Date || ('isLuxonDateTime' in value && value.isLuxonDateTime === true);
}

function isBlank(value: unknown): boolean {
	return typeof value === 'string' && value.trim() === '';
}

function jsonFault(text: string): string {
	try {
		JSON.parse(text);
		return '';
	} catch (error) {
		return `${error instanceof Error ? error.message : 'It cannot be read'}. Names and texts need double quotes, and there is no comma after the last entry.`;
	}
}

function quoted(value: unknown): string {
	const text = typeof value === 'string' ? `"${value}"` : (JSON.stringify(value) ?? 'empty');
	return shorten(text, LONGEST_QUOTE);
}
