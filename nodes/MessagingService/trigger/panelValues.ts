import type { IHookFunctions, INodeProperties, IWebhookFunctions } from 'n8n-workflow';
import { isObject } from '../api/json';
import { Problem } from '../nodeError';

/** The n8n contexts of a trigger: while it is activated or deactivated, and while a call comes in. */
type TriggerContext = IHookFunctions | IWebhookFunctions;

/** An entry of a dropdown, together with whatever the code takes from it. */
export interface Choice {
	name: string;
	value: string;
	description?: string;
}

/** A dropdown and its entries. Both the panel and the reader get them from here. */
interface Dropdown<Entry extends Choice> {
	field: INodeProperties;
	entries: readonly Entry[];
}

/** Makes a dropdown of the entries of a table. */
export function dropdown<Entry extends Choice>(
	field: Omit<INodeProperties, 'type' | 'options'>,
	entries: readonly Entry[],
): Dropdown<Entry> {
	const options = entries.map(({ name, value, description }) => ({ name, value, description }));
	return { field: { ...field, type: 'options', options }, entries };
}

type Field = Pick<INodeProperties, 'displayName' | 'name' | 'default'>;

/** Values of the panel or of one of its collections. Each is read by the field that shows it. */
export class PanelValues {
	readonly raw: (field: Field) => unknown;

	private constructor(read: (field: Field) => unknown) {
		this.raw = read;
	}

	static of(context: TriggerContext): PanelValues {
		return new PanelValues((field) => context.getNodeParameter(field.name, field.default));
	}

	/** The members of a collection, or of a row in one. */
	static in(members: unknown): PanelValues {
		return new PanelValues(({ name }) => (isObject(members) ? members[name] : undefined));
	}

	collection(field: Field): PanelValues {
		return PanelValues.in(this.raw(field));
	}

	/** A text without white space around it; the default of the field when it is empty. */
	text(field: Field): string {
		return toText(this.raw(field)) || String(field.default);
	}

	number(field: Field): number {
		const number = Number(this.raw(field) ?? NaN);
		return Number.isFinite(number) ? number : Number(field.default);
	}

	/**
	 * A switch of the panel; its default when it is not there.
	 *
	 * @throws {Problem} when an expression gives something else than on or off.
	 */
	boolean(field: Field): boolean {
		const value = this.raw(field) ?? field.default;
		if (value === true || value === 'true') return true;
		if (value === false || value === 'false') return false;
		throw new Problem(
			`"${field.displayName}" is neither true nor false: ${JSON.stringify(value)}`,
			'Turn it on or off, or have the expression give true or false.',
		);
	}

	/**
	 * The chosen entry of a dropdown.
	 *
	 * @throws {Problem} when there is no such entry, as in a workflow that was edited elsewhere.
	 */
	choice<Entry extends Choice>({ field, entries }: Dropdown<Entry>): Entry {
		const value = this.raw(field) ?? field.default;
		const entry = entries.find((each) => each.value === value);
		if (entry) return entry;
		throw new Problem(
			`"${field.displayName}" has an unknown value: ${JSON.stringify(value)}`,
			`Choose one of these: ${entries.map(({ name }) => name).join(', ')}.`,
		);
	}
}

/** A text or a number as text, without white space around it. */
export function toText(value: unknown): string | undefined {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined;
}
