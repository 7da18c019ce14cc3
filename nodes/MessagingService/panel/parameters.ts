import {
	ExpressionParser,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeProperties,
	type IPollFunctions,
	isResourceLocatorValue,
	type IWebhookFunctions,
} from 'n8n-workflow';
import { asObject, isInexact, isObject } from '../api/json';
import { quote } from '../api/text';
import { Problem } from '../words/problem';
import { type Ambiguous, readDate } from './date';

/** What errors say about a field. */
export interface FieldWords {
	/** Its name in the panel. */
	label: string;
	/** What to do when the value cannot be used. */
	advice?: string;
}

/** A field of the panel whose default stands in for an empty value. */
type PanelField = Pick<INodeProperties, 'displayName' | 'name' | 'default'>;

/** An entry of a dropdown, together with whatever the code takes from it. */
export interface Choice {
	name: string;
	value: string;
	description?: string;
}

type DropdownField = Omit<INodeProperties, 'type' | 'options'> & { entries: readonly Choice[] };

/** Makes a dropdown of the entries of a table. */
export function dropdown({ entries, ...field }: DropdownField): INodeProperties {
	const options = entries.map(({ name, value, description }) => ({ name, value, description }));
	return { ...field, type: 'options', options };
}

/** How IDs of the service look, as a regular expression. */
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** The placeholder of fields that take such an ID. */
export const UUID_PLACEHOLDER = 'e.g. 123e4567-e89b-12d3-a456-426614174000';

const DATE_ADVICE =
	"Enter a date such as 2026-01-31 or 2026-01-31T08:00:00, or convert it, such as with {{ DateTime.fromFormat($json.date, 'dd/MM/yyyy') }}.";
const WHOLE_UUID = new RegExp(`^${UUID}$`);

/**
 * Reads the values in the panel and validates them before anything is sent. Each reader throws a Problem with the
 * displayed name of the field. There are two kinds:
 *
 * - by name, such as `text('filters.text', words)`: undefined when the field is empty. A name may be a path. Some have
 *   a variant for other values than those of a field, such as `toText(value, words)`.
 * - by field, such as `textOf(field)`: the field's default when it is empty.
 */
export class PanelValues {
	private readonly read: (name: string) => unknown;
	/** What was read so far. n8n resolves a collection as a whole, so it is read once for all of its members. */
	private readonly known = new Map<string, unknown>();

	protected constructor(read: (name: string) => unknown) {
		this.read = read;
	}

	/** The panel of a trigger, for its activation, its deactivation and its webhook calls. */
	static ofTrigger(context: IHookFunctions | IPollFunctions | IWebhookFunctions): PanelValues {
		return new PanelValues((name) => context.getNodeParameter(name, null));
	}

	/** Values that need no panel. */
	static of(values: IDataObject): PanelValues {
		return new PanelValues((name) => values[name]);
	}

	/** The members of a collection, by their own names. */
	members({ name: collection }: Pick<INodeProperties, 'name'>): PanelValues {
		return new PanelValues((name) => this.value(`${collection}.${name}`));
	}

	/** The value as it is, unchecked; undefined when it is not set. */
	value(name: string): unknown {
		const [first, member] = name.split('.');
		if (!this.known.has(first)) this.known.set(first, this.read(first) ?? undefined);
		const value = this.known.get(first);
		if (member === undefined) return value;
		return isObject(value) ? (value[member] ?? undefined) : undefined;
	}

	/** Treats a member of a collection as if it had not been added. */
	leaveOut(collection: string, member: string): void {
		this.known.set(collection, { ...asObject(this.value(collection)), [member]: undefined });
	}

	/** A trimmed text, or that of a resource locator. Numbers are accepted, since spreadsheets give them for texts. */
	text(name: string, words: FieldWords): string | undefined {
		return this.toText(this.value(name), words);
	}

	/** A text that must not be empty. */
	requiredText(name: string, words: FieldWords): string {
		return this.text(name, words) ?? this.fail(`"${words.label}" is empty`, words.advice);
	}

	/** Texts separated by commas, or a list of them from an expression; none when it is empty. */
	texts(name: string, words: FieldWords): string[] {
		return [this.value(name)].flat().flatMap((value) => splitList(this.toText(value, words) ?? ''));
	}

	/** A whole number of at least `least`. */
	integer(name: string, least: number, words: FieldWords): number | undefined {
		const value = this.value(name);
		if (isBlank(value)) return undefined;
		const number = typeof value === 'string' ? Number(value) : value;
		if (Number.isSafeInteger(number) && Number(number) >= least) return Number(number);
		return this.refuse(value, words, `has to be a whole number of at least ${least}`);
	}

	/** A boolean, or the word for it, as spreadsheets give it. */
	boolean(name: string, words: FieldWords): boolean | undefined {
		const value = this.value(name);
		if (isBlank(value)) return undefined;
		const word = String(value).trim().toLowerCase();
		if (word === 'true' || word === 'false') return word === 'true';
		return this.refuse(value, words, 'has to be true or false');
	}

	/** The text of a field. */
	textOf({ name, displayName: label, default: otherwise }: PanelField): string {
		return this.text(name, { label }) ?? String(otherwise);
	}

	/** Whether a switch is on. */
	isOn({ name, displayName: label, default: otherwise }: PanelField): boolean {
		return this.boolean(name, { label }) ?? otherwise === true;
	}

	/** The chosen entry of a dropdown. A workflow that was edited elsewhere may name one that does not exist. */
	choice<Entry extends { name: string; value: string }>(
		{ name, displayName, default: otherwise }: PanelField,
		entries: readonly Entry[],
	): Entry {
		const value = this.value(name) ?? otherwise;
		const chosen = entries.find((entry) => entry.value === value);
		if (chosen) return chosen;
		return this.fail(
			`"${displayName}" has an unknown value: ${quote(value)}`,
			`Choose one of these: ${entries.map((entry) => entry.name).join(', ')}.`,
		);
	}

	/** Checks that a value is a text, or a number that can be written as one; undefined when it is empty. */
	toText(value: unknown, words: FieldWords): string | undefined {
		const content = isResourceLocatorValue(value) ? value.value : value;
		if (isBlank(content)) return undefined;
		if (typeof content === 'string') return content.trim();
		if (isInexact(content)) {
			const advice = 'It has lost its last digits already. Have it as a text where it comes from.';
			return this.refuse(content, words, 'is a number that is too long to be exact', advice);
		}
		if (typeof content === 'number' && Number.isFinite(content)) return String(content);
		return this.refuse(content, words, 'has to be text');
	}

	/** Checks that a text is a UUID. */
	toUuid(value: string, words: FieldWords): string {
		if (WHOLE_UUID.test(value)) return value;
		const advice = `${words.advice ?? ''} An ID looks like 123e4567-e89b-12d3-a456-426614174000.`;
		return this.refuse(value, words, 'is not a valid ID', advice);
	}

	/** Fails for a value that cannot be used, and shows it. */
	refuse(value: unknown, words: FieldWords, problem: string, advice = ''): never {
		return this.fail(`"${words.label}" ${problem}`, `${advice} The value is ${quote(value)}.`);
	}

	/** Fails with an error about one of the values: what is wrong with it, and what to do. */
	fail(message: string, advice?: string): never {
		throw new Problem(message, advice?.trim());
	}
}

/** The values of the action node for one of its items. */
export class ItemParameters extends PanelValues {
	readonly itemIndex: number;
	private readonly context: IExecuteFunctions;

	constructor(context: IExecuteFunctions, itemIndex: number) {
		super((name) => context.getNodeParameter(name, itemIndex, null));
		this.context = context;
		this.itemIndex = itemIndex;
	}

	/** A point in time; one without a zone is read in the workflow's time zone. Undefined when it is empty. */
	date(name: string, words: FieldWords, ambiguous: Ambiguous = 'earlier'): Date | undefined {
		const value = this.value(name);
		if (isBlank(value)) return undefined;
		const date = readDate(value, this.context.getTimezone(), ambiguous);
		if (date) return date;
		return this.refuse(value, words, 'is not a valid date', DATE_ADVICE);
	}

	/**
	 * Finds an expression that is empty for this item, in a text made of several parts. n8n would leave that part out, and
	 * the rest could still look right.
	 *
	 * @param expression the parameter with expressions unresolved, such as `=+{{ $json.code }}{{ $json.number }}`
	 * @returns The expression, such as `{{ $json.code }}`.
	 */
	emptyPart(expression: unknown): string | undefined {
		if (!isExpression(expression)) return undefined;
		const chunks = ExpressionParser.splitExpression(expression.slice(1)).filter(
			({ type, text }) => type === 'code' || text.trim() !== '',
		);
		if (chunks.length < 2) return undefined;
		const parts = chunks.filter(({ type }) => type === 'code').map(({ text }) => `{{${text}}}`);
		return parts.find((part) => {
			const value: unknown = this.context.evaluateExpression(part, this.itemIndex);
			return [value].flat().every(isNothing);
		});
	}
}

/** Whether a parameter with expressions unresolved is an expression. */
export function isExpression(parameter: unknown): parameter is `=${string}` {
	return typeof parameter === 'string' && parameter.startsWith('=');
}

/** Whether a value of the panel or of an expression is empty. */
export function isBlank(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	return value === undefined || value === null;
}

/** Whether n8n, or JSON, has nothing in place of a value: also of a calculation that is no number. */
export function isNothing(value: unknown): boolean {
	return isBlank(value) || (typeof value === 'number' && !Number.isFinite(value));
}

/** The entries of a text that are separated by commas, without the white space around them. */
export function splitList(text: string): string[] {
	return text
		.split(',')
		.map((entry) => entry.trim())
		.filter(Boolean);
}

/** The texts in what pickers or expressions give: in a list, between commas, or the IDs of objects; none when empty. */
export function textsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(textsIn);
	// A date is an object, too.
	if (isObject(value) && ('id' in value || 'value' in value))
		return textsIn(value.id ?? value.value);
	return splitList(String(value ?? ''));
}
