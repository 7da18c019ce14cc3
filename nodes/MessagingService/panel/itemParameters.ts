import type { IExecuteFunctions } from 'n8n-workflow';
import { findGap } from './gaps';
import { PanelValues } from './values';

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
	 * Finds a gap in a value of one of the parameters, such as `{{ $json.name }}` where that gives nothing.
	 *
	 * @param written the parameter with expressions unresolved
	 */
	findGap(value: unknown, written: unknown): string | undefined {
		return findGap(value, {
			written,
			// An item may have no fields at all, but only a file.
			readJson: () => this.context.getInputData()[this.itemIndex]?.json,
			evaluate: (part) => this.evaluate(part),
		});
	}

	/** Evaluates a text with expressions in braces for the item. */
	evaluate(template: string): unknown {
		return this.context.evaluateExpression(template, this.itemIndex);
	}
}
