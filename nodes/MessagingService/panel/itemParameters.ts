import { ExpressionParser, type IExecuteFunctions } from 'n8n-workflow';
import { isInexact, isObject } from '../api/json';
import type { Named } from './field';
import { isBlank, PanelValues } from './values';

/**
 * The words that stand for a value that is missing or is an object. Beside a letter, a digit or "@", or before a dot and
 * what follows it, they are part of a name, as in jennifer.null@example.com.
 */
const WORD =
	/(?<![\p{L}\p{N}_@.])(?:undefined|null|NaN)(?![\p{L}\p{N}_@]|\.[\p{L}\p{N}])|\[object Object\]|Invalid Date(?:Time)?/gu;

const ANY_CASE = new RegExp(WORD.source, 'giu');

/** A whole text that stands for a missing value, or has lost a part of one: what programs, AI models and sheets write. */
const WORD_FOR_NOTHING = /^(?:null|none|undefined|nan|n\/?a|\d[.,]\d+e\+\d+|\[object object\])$/i;

/** What a sheet has where a formula gives nothing. */
const SHEET_ERROR = /^#(?:n\/a|div\/0!|(?:ref|value|name|num|null|error|spill|calc)[!?])$/i;

/** A name in double braces, also if they are full-width or one of them is missing. JSON has quotation marks or colons. */
const PLACEHOLDER = /[{｛]{2}[^{}｛｝]*[}｝]{1,2}|[{｛][^{}｛｝":]+[}｝]{2}/u;

/** A part of an expression that takes a field as it is: what it gives was not made by the expression. */
const FIELD =
	/^\{\{\s*\$(?:json|input|\((?:'[^']*'|"[^"]*"|`[^`]*`)\))(?:\.(?:first|last|all)\(\)|\??\.[\p{ID_Continue}$]+|\[(?:\d+|'[^']*'|"[^"]*")\])*\s*\}\}$/u;

/** What is written between commas, with the expressions in it. */
const BETWEEN_COMMAS = /(?:\{\{.*?\}\}|[^,])+/gs;

/** How deep to look for texts, since a deeply nested value would overflow the stack. */
const MAX_LEVELS = 10;

/** The values of the action node for one of its items. */
export class ItemParameters extends PanelValues {
	readonly itemIndex: number;
	private readonly context: IExecuteFunctions;

	constructor(context: IExecuteFunctions, itemIndex: number) {
		super((name) => context.getNodeParameter(name, itemIndex, null), context.getTimezone());
		this.context = context;
		this.itemIndex = itemIndex;
	}

	/** The options that every operation has. */
	get options(): PanelValues {
		return this.members({ name: 'options' });
	}

	/** Evaluates a text with expressions in braces for the item. */
	private evaluate(template: string): unknown {
		return this.context.evaluateExpression(template, this.itemIndex);
	}

	/**
	 * Finds a gap in a value: an expression that gave nothing, a word that stands for a missing value, or a placeholder that
	 * was not filled. A word is none if the parameter itself or a field has it, as a surname Null.
	 *
	 * @param written the parameter with expressions unresolved, such as `=Hi {{ $json.name }}`
	 * @returns What is in the place of the missing value, such as `{{ $json.name }}` or `undefined`; undefined where there
	 *   is no gap.
	 */
	findGap(value: unknown, written: unknown): string | undefined {
		const texts = textsOf(value);
		const chunks = chunksOf(written);
		return (
			this.findEmptyPart(value, chunks) ??
			this.findWord(texts, chunks) ??
			texts.map(findPlaceholder).find(Boolean)
		);
	}

	/**
	 * Fails for a phone number that lacks a part, such as the country code: the rest may be the number of somebody else. Of
	 * several between commas, a whole one may be missing.
	 */
	refuseGap(field: Named, value: unknown, written: unknown): void {
		if (isBlank(value)) return;
		const numbers = isExpression(written) ? (written.slice(1).match(BETWEEN_COMMAS) ?? []) : [];
		if (numbers.length > 1) {
			for (const each of numbers) this.refuseGap(field, this.evaluate(each), `=${each}`);
			return;
		}
		const gap = this.findGap(value, written);
		if (gap === undefined) return;
		this.fail(
			`"${field.displayName}" lacks a part: ${gap} gives nothing`,
			`Compare it with the fields of the input. ${field.advice ?? ''}`,
		);
	}

	/** n8n would leave an empty part out, and the rest could still look right. */
	private findEmptyPart(value: unknown, chunks: readonly Chunk[]): string | undefined {
		const isEmpty = (part: string) =>
			chunks.length === 1
				? isNothing(value)
				: [this.evaluate(part)].flat().every((each) => isNothing(each) || isInexact(each));
		return chunks.find(({ text, isCode }) => isCode && isEmpty(text))?.text;
	}

	private findWord(texts: readonly string[], chunks: readonly Chunk[]): string | undefined {
		const found = texts.flatMap((text) => text.match(WORD) ?? []);
		if (found.length === 0 || chunks.length === 0) return undefined;
		const given = chunks.map(({ text, isCode }) => {
			if (!isCode) return text;
			return FIELD.test(text) ? this.evaluate(text) : undefined;
		});
		// An item may have no fields at all, but only a file.
		const json = this.context.getInputData()[this.itemIndex]?.json;
		const known = textsOf([json, given])
			.flatMap((text) => text.match(ANY_CASE) ?? [])
			.map((word) => word.toLowerCase());
		return found.find((word) => !known.includes(word.toLowerCase()));
	}
}

/** Whether a whole text stands for a missing value, such as "none". */
export function isWordForNothing(text: string): boolean {
	return WORD_FOR_NOTHING.test(text);
}

/** Finds braces in a text that look like a placeholder; undefined where there are none. */
export function findPlaceholder(text: string): string | undefined {
	return PLACEHOLDER.exec(text)?.[0];
}

/** Whether a parameter with expressions unresolved is an expression. */
export function isExpression(parameter: unknown): parameter is `=${string}` {
	return typeof parameter === 'string' && parameter.startsWith('=');
}

/**
 * Whether a parameter contains "$fromAI", so that the AI model fills it in. The model has to give each of these a
 * value, so it gives an empty text where it has none.
 *
 * @param value the parameter with expressions unresolved
 */
export function isLeftToModel(value: unknown): boolean {
	return /\$fromai\s*\(/i.test(JSON.stringify(value) ?? '');
}

/** Whether a value is empty, or a formula, a calculation or a date without a result. */
export function isNothing(value: unknown): boolean {
	if (typeof value === 'number') return !Number.isFinite(value);
	const plain = plainOf(value);
	return isBlank(plain) || (typeof plain === 'string' && SHEET_ERROR.test(plain.trim()));
}

/**
 * JSON as it was written, with an expression as a part of the text that it is in, or else as the number 1: that is JSON, too,
 * unless an expression gives more or less than a value. Undefined where nothing but expressions was written, or none.
 */
export function jsonAsWritten(written: unknown): string | undefined {
	const chunks = chunksOf(written);
	if (chunks.every(({ isCode }) => isCode)) return undefined;
	let isInText = false;
	const parts = chunks.map(({ text, isCode }) => {
		if (isCode) return isInText ? JSON.stringify(text).slice(1, -1) : '1';
		for (const [sign] of text.matchAll(/\\.|"/gs)) isInText = isInText !== (sign === '"');
		return text;
	});
	return parts.join('');
}

/** A part of an expression: a text, or code in its braces. */
interface Chunk {
	text: string;
	isCode: boolean;
}

/** The parts of an expression, but for white space; none of what is no expression. */
export function chunksOf(written: unknown): Chunk[] {
	if (!isExpression(written)) return [];
	return ExpressionParser.splitExpression(written.slice(1))
		.filter(({ type, text }) => type === 'code' || text.trim() !== '')
		.map(({ type, text }) =>
			type === 'code' ? { text: `{{${text}}}`, isCode: true } : { text, isCode: false },
		);
}

/** The texts in a value, at any place. */
function textsOf(value: unknown, levels = MAX_LEVELS): string[] {
	const plain = plainOf(value);
	if (typeof plain === 'string') return [plain];
	if (levels === 0 || (!Array.isArray(plain) && !isObject(plain))) return [];
	return Object.values(plain).flatMap((part) => textsOf(part, levels - 1));
}

/** A value as JSON has it: a date is a text, or null if it is invalid. */
function plainOf(value: unknown): unknown {
	return isObject(value) && typeof value.toJSON === 'function' ? value.toJSON() : value;
}
