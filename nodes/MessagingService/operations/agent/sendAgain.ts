import { dropdown, type Field, switchField } from '../../panel/field';
import type { Item, Run, SendAgain } from '../operation';

const NOTHING = {
	name: 'Nothing',
	value: 'nothing',
	description: 'Send only what was certainly not accepted before',
} as const;
const UNKNOWN = {
	name: 'Unknown',
	value: 'unknown',
	description: 'Also send to contacts who may already have been texted',
} as const;
const EVERYBODY = {
	name: 'Everybody of This Run',
	value: 'everybody',
	description: 'Send all items of this run, whatever was sent in earlier runs',
} as const;

const LABEL = 'Send Again';

const sendAgainField = dropdown({
	displayName: LABEL,
	name: 'sendAgain',
	displayOptions: { hide: { '/sendOnce': ['off'] } },
	options: [NOTHING, UNKNOWN, EVERYBODY],
	default: 'nothing',
	description:
		'What to send although it was sent before, or may have been. Check your messages first, and afterwards set this back to "Nothing".',
});

/** The choice of what to send a second time. "Everybody of This Run" makes a difference only with "Send Once". */
export const sendAgainFields: Field[] = [
	sendAgainField,
	{
		...sendAgainField,
		displayOptions: { show: { '/sendOnce': ['off'] } },
		options: [NOTHING, UNKNOWN],
	},
];

/** Whether the node itself repeats a call although it may have been accepted. */
export const retryUnknownField = switchField(
	'Retry Unknown',
	'retryUnknown',
	'Whether to retry a call that the service may have processed: after a server error, a timeout or a lost connection. The agent may then run twice.',
);

const REMINDERS = {
	unknown: `"${LABEL}" is "${UNKNOWN.name}", which also sends to contacts who may have been texted. Set it back to "${NOTHING.name}" after this run.`,
	everybody: `"${LABEL}" is "${EVERYBODY.name}". Set it back to "${NOTHING.name}" now, or each run sends its items again.`,
};

/** Reads what to send a second time, and reminds the user of it. */
export function readSendAgain({ parameters }: Item, run: Run, hasKey: boolean): SendAgain {
	const sendAgain = parameters.options.choice(sendAgainField);
	// Without a key, everybody is texted anyway.
	if (sendAgain === 'nothing' || (sendAgain === 'everybody' && !hasKey)) return 'nothing';
	run.notices.add(REMINDERS[sendAgain]);
	return sendAgain;
}
