import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { isObject } from '../../api/json';
import { Problem } from '../../nodeError';
import { readCountryCode } from '../../panel/countryCode';
import type { Parameters } from '../../panel/parameters';
import type { Run } from '../operation';
import type { WebhookCall } from './webhookCall';

const WHEN_TESTING = { label: 'When Testing' };
const TEST_NUMBER = {
	label: 'Test Number',
	advice:
		'Add the option "Test Number" and enter the number that the first item goes to, or choose another way in "When Testing".',
};

/** What a sub-workflow has to say, in which the option is set. */
const IN_SUB_WORKFLOW =
	'"When Testing" has no effect in a sub-workflow, because n8n does not tell it whether somebody started its parent by hand. To try it out, run this workflow itself.';

/** Modes in which n8n runs a workflow because somebody asked for it in the editor. */
const BY_HAND: unknown[] = ['manual', 'evaluation'];

export const whenTesting: INodeProperties[] = [
	{
		displayName: WHEN_TESTING.label,
		name: 'whenTesting',
		type: 'options',
		default: 'dryRun',
		description:
			'What happens to the items when you run the workflow, or this step, by hand in the editor. It has no effect in production.',
		hint: 'Not in a sub-workflow: it sends everything, even if you start its parent by hand',
		options: [
			{
				name: 'Dry Run',
				value: 'dryRun',
				description: 'Check every item and show what would be sent, but send nothing',
			},
			{
				name: 'Send',
				value: 'send',
				description: 'Send every item, as in production',
			},
			{
				name: 'Send One to a Test Number',
				value: 'testNumber',
				description:
					'Send the first item to a number of your own, and only show the others. Add the option "Test Number" too.',
			},
		],
	},
	{
		displayName: TEST_NUMBER.label,
		name: 'testNumber',
		type: 'string',
		default: '',
		placeholder: 'e.g. +15555550100',
		displayOptions: { show: { whenTesting: ['testNumber'] } },
		description: 'The phone number that gets the first item when you run the workflow by hand',
	},
];

/** A run that somebody started by hand, and in which not everything is sent. */
export class Trial {
	private readonly notices: Run['notices'];
	private readonly isFirstRun: boolean;
	private shown = 0;
	private sentTo?: string;

	private constructor({ context, notices }: Run) {
		this.notices = notices;
		// In a loop, each round is a run of its own.
		this.isFirstRun = context.getWorkflowDataProxy(0).$runIndex === 0;
	}

	/** The trial that a run is; undefined where everything is sent. */
	static of(run: Run): Trial | undefined {
		const options: unknown = run.panel.options;
		const choice = isObject(options) ? options.whenTesting : undefined;
		if (choice === undefined || choice === 'send') return undefined;
		if (run.context.getMode() === 'integrated') run.notices.add(IN_SUB_WORKFLOW, 'info');
		return isStartedByHand(run.context) ? new Trial(run) : undefined;
	}

	/** Handles an item that is not sent as in production; undefined for one that is, by its expression. */
	handle(
		parameters: Parameters,
		read: () => WebhookCall,
		send: (call: WebhookCall) => Promise<IDataObject>,
	): Promise<IDataObject> | undefined {
		const choice = parameters.text('options.whenTesting', WHEN_TESTING);
		switch (choice) {
			case 'send':
				return undefined;
			case 'dryRun':
				return this.show(read());
			case 'testNumber': {
				const number = readTestNumber(parameters);
				const isFirst = this.isFirstRun && parameters.itemIndex === 0;
				return isFirst ? this.sendTo(number, read(), send) : this.show(read());
			}
			default:
				return parameters.fail(
					`"${WHEN_TESTING.label}" has to be send, dryRun or testNumber`,
					'Choose one from the list, or correct the expression.',
				);
		}
	}

	private async show({ id, body }: WebhookCall): Promise<IDataObject> {
		this.shown++;
		return { dryRun: true, webhookId: id, webhookBody: body };
	}

	private async sendTo(
		phone: string,
		call: WebhookCall,
		send: (call: WebhookCall) => Promise<IDataObject>,
	): Promise<IDataObject> {
		const output = await send({ ...call, body: { ...call.body, phone } });
		this.sentTo = phone;
		return output;
	}

	/** Says on the node what was not sent, and why. */
	finish(): void {
		const { shown, sentTo } = this;
		const items = shown === 1 ? '1 item was' : `${shown} items were`;
		const parts = [
			...(sentTo ? [`The first item was sent to the test number ${sentTo}.`] : []),
			...(shown > 0 ? [`${items} not sent: this is what would be sent.`] : []),
		];
		if (parts.length === 0) return;
		const why = `You ran this by hand, and "${WHEN_TESTING.label}" is set in the options. In production, the option is ignored and everything is sent.`;
		this.notices.add([...parts, why].join(' '), 'info');
	}
}

/** Whether somebody started this execution in the editor, or retries one that was started there. */
function isStartedByHand(context: IExecuteFunctions): boolean {
	const mode = context.getMode();
	if (mode !== 'retry') return BY_HAND.includes(mode);
	const source = context.getExecutionContext?.()?.source;
	if (source !== undefined) return BY_HAND.includes(source);
	throw new Problem(
		`n8n does not say whether the execution that is retried was a test, and "${WHEN_TESTING.label}" is set`,
		`Start the workflow again instead, or remove the option "${WHEN_TESTING.label}" and retry the execution with the currently saved workflow.`,
	);
}

function readTestNumber(parameters: Parameters): string {
	const number = parameters.toPhone(
		parameters.raw('options.testNumber'),
		TEST_NUMBER,
		readCountryCode(parameters),
	);
	return number ?? parameters.fail(`"${TEST_NUMBER.label}" is empty`, TEST_NUMBER.advice);
}
