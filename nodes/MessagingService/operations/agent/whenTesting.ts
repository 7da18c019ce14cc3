import type { IExecuteFunctions } from 'n8n-workflow';
import { runIndexOf, startedBy } from '../../n8n/private';
import { dropdown, type Field, nameOf, textField } from '../../panel/field';
import { readPhone } from '../../panel/phoneField';
import { Problem } from '../../words/problem';
import type { Item, Run } from '../operation';

/** Modes in which n8n runs a workflow because somebody asked for it in the editor. */
const BY_HAND = ['manual', 'evaluation'];

const whenTestingField = dropdown({
	displayName: 'When Testing',
	name: 'whenTesting',
	noDataExpression: true,
	default: 'send',
	description: 'What happens to the items of a run by hand in the editor',
	hint: 'Production always sends, as do sub-workflows of n8n 1 and of AI agents',
	options: [
		{
			name: 'Preview Only',
			value: 'preview',
			description: 'Show what would be sent, but send nothing',
		},
		{ name: 'Send', value: 'send', description: 'Send every item, as in production' },
		{
			name: 'Send One to Test Number',
			value: 'testNumber',
			description: 'Send the first item to your own number, and only show the others',
		},
	],
});

const testNumberField = textField(
	'Test Number',
	'testNumber',
	'The phone number that gets the first item',
	{
		placeholder: 'e.g. +15555550142',
		displayOptions: { show: { whenTesting: ['testNumber'] } },
		advice: `Enter your own number, or change "${whenTestingField.displayName}".`,
	},
);

/** The fields for what to send in a run that somebody started by hand. */
export const whenTestingFields: Field[] = [whenTestingField, testNumberField];

/**
 * Who gets an item: its contact; or, in a run that somebody started by hand in the editor, nobody or the test number, if
 * "When Testing" says so.
 */
export function recipientOf({ parameters }: Item, run: Run): 'contact' | 'nobody' | 'testNumber' {
	const choice = parameters.choice(whenTestingField);
	if (choice === 'send' || !isStartedByHand(run.context)) return 'contact';
	// In a loop, each round is a run of its own.
	const isFirst = parameters.itemIndex === 0 && runIndexOf(run.context) === 0;
	if (choice === 'testNumber' && isFirst) return 'testNumber';
	return 'nobody';
}

/** Tells the user of an item that was only shown. */
export function noteNotSent({ parameters }: Item, run: Run): void {
	const choice = nameOf(whenTestingField, parameters.choice(whenTestingField));
	run.notices.add(
		`Not sent, because "${whenTestingField.displayName}" is "${choice}". In production, items are sent unless "Send Once" skips them.`,
		'info',
	);
}

/** Reads the number that gets the first item. */
export function readTestNumber({ parameters }: Item, { rawParameters }: Run): string {
	const value = parameters.value(testNumberField);
	const number = readPhone(parameters, testNumberField, value, rawParameters.testNumber);
	return number ?? parameters.requiredText(testNumberField);
}

/**
 * Whether somebody started this execution or its parent in the editor, or retries one that was started there.
 *
 * @throws {Problem} when n8n does not tell it in a retry, since a wrong guess could text real people.
 */
function isStartedByHand(context: IExecuteFunctions): boolean {
	const how = startedBy(context);
	if (how !== undefined) return BY_HAND.includes(how);
	throw new Problem(
		`n8n does not say whether the retried execution was a test, and "${whenTestingField.displayName}" is set`,
		`Set "${whenTestingField.displayName}" to "${nameOf(whenTestingField, 'send')}" and retry with the currently saved workflow, or run the workflow with only those who were not texted.`,
	);
}
