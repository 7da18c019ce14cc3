import { ExpressionParser, type IExecuteFunctions } from 'n8n-workflow';
import { isNothing, PanelValues } from './values';

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
