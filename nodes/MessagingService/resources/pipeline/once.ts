import { createHash } from 'crypto';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isObject } from '../../api/json';
import { mayHaveBeenAccepted } from '../../api/requestFailure';
import { OnceKeys } from '../../memory/onceKeys';
import { Problem } from '../../nodeError';
import { isOn, resendUncertain } from '../../panel/options';
import { Parameters } from '../../panel/parameters';
import type { Item, Run } from '../operation';
import { ReadAhead } from './readAhead';
import { type CallSource, readWebhookCall, type WebhookCall } from './webhookCall';

const HASH_LENGTH = 16;

const SKIPPED = 'Skipped, because it was sent before.';
const UNCERTAIN =
	'Not sent again, because an earlier call may have been accepted. Check the service, then send it with "Resend Uncertain".';
const FORGETTING =
	'Sent regardless of earlier runs, because "Forget Keys" is on. Turn it off now, or each run sends its items again.';
const SAME_KEY =
	'"Key" is the same for every item, so only one of them is ever sent. Make it an expression, such as {{ $json.leadId }}.';
/** What a run that only tries the node out has to say. */
export const ONCE_IN_TRIAL =
	'"Send Once" is not applied when you test: in production, items that were sent before are skipped.';
const KEY = {
	label: 'Key',
	advice:
		'Each item needs a value of its own, such as the ID of the lead, or it could be sent twice.',
};

/** Whether an item is sent that was sent before, and how items are told apart. */
export const ONCE_FIELDS: INodeProperties[] = [
	{
		displayName: 'Send Once',
		name: 'sendOnce',
		type: 'options',
		noDataExpression: true,
		default: 'off',
		description:
			'Whether this node skips items that it has sent before. It remembers them over later runs and restarts, for each credential and webhook. An item whose call failed is not remembered.',
		// Not at "Phone", where n8n shows the result of an expression in the place of a hint.
		hint: 'With "Off", each run texts everybody again. To try this step out without texting anybody, add the option "When Testing" below.',
		options: [
			{
				name: 'Off',
				value: 'off',
				description: 'Send every item in every run',
			},
			{
				name: 'Once per Key',
				value: 'key',
				description: 'Skip items whose key was sent before, such as the ID of a lead',
			},
			{
				name: 'Once per Phone Number',
				value: 'phone',
				description: 'Skip items whose phone number was sent before, however it is written',
			},
		],
	},
	{
		displayName: 'Key',
		name: 'onceKey',
		type: 'string',
		displayOptions: { show: { sendOnce: ['key'] } },
		default: '',
		required: true,
		placeholder: 'e.g. {{ $json.leadId }}',
		hint: 'Needs an expression: of all items with the same key, only the first is ever sent',
		description: 'What tells the items apart, such as the ID of the lead',
	},
];

export const forgetKeys: INodeProperties = {
	displayName: 'Forget Keys',
	name: 'forgetKeys',
	type: 'boolean',
	default: false,
	description:
		'Whether to start over with the items of this run: each is sent once in this run, regardless of earlier runs, and remembered again. Other items stay remembered. Turn it off afterwards, or each run sends its items again.',
};

const VALUES = ['off', 'phone', 'key'] as const;

/** Reads by what items are told apart. It holds for all of them. */
export function readSendOnce({ panel }: Run): (typeof VALUES)[number] {
	const { sendOnce = 'off' } = panel;
	const value = VALUES.find((each) => each === sendOnce);
	if (value) return value;
	throw new Problem('"Send Once" has an unknown value', 'Choose one from its list.');
}

interface Keyed {
	call: WebhookCall;
	key: string;
	/** The key, with all that it belongs to. */
	name: string;
}

/** What came of reading an item ahead of its turn, at which it fails if it cannot be read. */
type Outcome = Keyed | { failure: unknown };

/** Sends each key once, over all runs of a node. What is remembered belongs to the account and the webhook. */
export class Once {
	private readonly run: Run;
	private readonly by: 'phone' | 'key';
	/**
	 * The keys that were begun with Forget Keys or Resend Uncertain: hashes with the execution, in the execution's own
	 * data. Such a wish holds once, however often n8n runs the node and however many items have the key.
	 */
	private readonly wished: IDataObject;
	private readonly ahead: ReadAhead<Outcome>;
	private keys?: OnceKeys;

	/** @param mayReadAhead whether every item is going to be sent, so that it may be read ahead of its turn */
	constructor(run: Run, by: 'phone' | 'key', mayReadAhead: boolean) {
		this.run = run;
		const data = run.context.getContext('node');
		const { wished } = data;
		this.wished = isObject(wished) ? wished : (data.wished = {});
		this.by = by;
		const { length } = run.input;
		this.ahead = new ReadAhead(mayReadAhead ? length : 0, (index) => this.tryToRead(index));
		const isFixed = typeof run.panel.onceKey === 'string' && !run.panel.onceKey.startsWith('=');
		if (by === 'key' && isFixed && length > 1) run.notices.add(SAME_KEY);
	}

	/**
	 * Sends an item, unless its key was sent before: then it comes out as `skipped`, or as `uncertain` when
	 * nobody knows what became of it.
	 */
	async send(item: Item, send: (call: WebhookCall) => Promise<IDataObject>): Promise<IDataObject> {
		const { parameters } = item;
		const read = this.ahead.take(parameters.itemIndex) ?? this.readKey(item);
		if ('failure' in read) throw read.failure;
		const { call, key, name } = read;
		const { context, concurrency, notices } = this.run;
		const forget = isOn(parameters, forgetKeys);
		const resend = isOn(parameters, resendUncertain);
		const keys = (this.keys ??= new OnceKeys(
			context,
			concurrency,
			async (count) => await this.nextNames(count),
		));
		const wish = forget || resend ? this.wishFor(name) : undefined;
		const begun = keys.begin(name, {
			forget: forget && wish?.isFirst,
			resend: resend && wish?.isFirstOfExecution,
		});
		// While the store is asked.
		void this.ahead.prepare(concurrency);
		const state = await begun;
		// Not before, since the store may have failed, and the next try of the node has to do as wished.
		wish?.note();
		if (state !== 'fresh') {
			const { phone } = call.body;
			const word = state === 'accepted' ? 'skipped' : 'uncertain';
			if (state === 'accepted') notices.add(SKIPPED, 'info');
			else notices.add(UNCERTAIN);
			return { [word]: true, key, ...(phone === undefined ? {} : { phone }) };
		}
		if (forget) notices.add(FORGETTING);
		const json = await send(call).catch(async (error: unknown) => {
			if (mayHaveBeenAccepted(error)) keys.leave(name);
			else await keys.release(name);
			throw error;
		});
		await keys.accept(name);
		return json;
	}

	/** Whether a key was begun with a wish before, and how to note that it was. */
	private wishFor(name: string) {
		const execution = String(this.run.context.getExecutionId());
		const hash = createHash('sha256').update(name).digest('base64url').slice(0, HASH_LENGTH);
		const before = this.wished[hash];
		return {
			isFirst: before === undefined,
			// Whoever retries an execution has looked at the service since.
			isFirstOfExecution: before !== execution,
			note: () => {
				this.wished[hash] = execution;
			},
		};
	}

	/** Reads what an item would be sent with, and checks that it has a key. */
	check(item: CallSource): WebhookCall {
		return this.readKey(item).call;
	}

	/** To be called when all items are handled. */
	async finish(): Promise<void> {
		this.ahead.end();
		// Without a note in the store, a key counts as uncertain, which is no reason to fail the item.
		await this.keys?.finish().catch((error: unknown) => {
			const { logger } = this.run.context;
			logger.warn('The outcome of webhook calls could not be stored', { error });
		});
	}

	private readKey(item: CallSource): Keyed {
		const { parameters } = item;
		const call = readWebhookCall(this.run, item);
		const { phone } = call.body;
		const key =
			this.by === 'key'
				? parameters.requiredText('onceKey', KEY)
				: typeof phone === 'string'
					? phone
					: parameters.fail(
							'An item without a phone number cannot be sent once per phone number',
							'There is no number to compare with those of other items, so it was not sent. Enter one in "Phone", or set "Send Once" to "Once per Key".',
						);
		return { call, key, name: `once:${this.run.account}:${call.id.toLowerCase()}:${key}` };
	}

	/** The keys of so many items that come next. */
	private async nextNames(count: number): Promise<string[]> {
		const next = await this.ahead.next(count);
		return next.flatMap((read) => ('name' in read ? [read.name] : []));
	}

	private tryToRead(index: number): Outcome {
		const parameters = new Parameters(this.run.context, index);
		try {
			return this.readKey({ json: this.run.input[index], parameters });
		} catch (failure) {
			return { failure };
		}
	}
}
