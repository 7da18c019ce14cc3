import { setImmediate } from 'timers/promises';
import {
	ExpressionError,
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { runOperation } from '../../../nodes/MessagingService/run/run';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

type Answer = number | 'breaks';

interface Setting {
	parameters?: Partial<Record<string, unknown>>;
	continueOnFail?: boolean;
	node?: Partial<INode>;
	mode?: string;
	credential?: IDataObject;
	/** What the service answers, by the place of the item. */
	answers?: Answer[];
}

const CREATE_USER = { resource: 'user', operation: 'create' };
const INVOKE = {
	resource: 'pipeline',
	operation: 'invokeWebhook',
	webhookId: '123e4567-e89b-12d3-a456-426614174000',
	payloadMode: 'input',
	options: { startWithoutContact: true },
};
/** Turns of the event loop that the answer to the first item takes. */
const TURNS = 10;
const GET_INBOXES = { resource: 'inbox', operation: 'getAll', returnAll: true };

/** A node with input items, each a user of the email address `user-<place>@example.com`. */
class Execution {
	readonly hints: unknown[] = [];
	/** What the execution keeps for the node from try to try. */
	readonly kept: IDataObject = {};
	readonly sent: string[] = [];
	id = '1';
	runIndex = 0;
	/** The options of an item, where they differ. */
	optionsOf?: (itemIndex: number) => IDataObject;
	answers: Answer[];
	credential: IDataObject;
	items: INodeExecutionData[];
	private readonly context: IExecuteFunctions;

	constructor(count: number, setting: Setting = {}) {
		const { parameters = CREATE_USER, continueOnFail = false, node, answers = [] } = setting;
		const { mode = 'trigger' } = setting;
		const { credential = { baseUrl: 'https://messaging.example.com', apiKey: 'key' } } = setting;
		this.credential = credential;
		this.answers = answers;
		this.items = Array.from({ length: count }, (_, i) => ({ json: { place: i } }));
		this.context = fake<IExecuteFunctions>({
			getInputData: () => this.items,
			getNode: () => ({ ...nodeWith(), ...node }),
			getNodeParameter: (name: string, itemIndex: number, fallback?: unknown) =>
				name === 'email'
					? `user-${itemIndex}@example.com`
					: name === 'options' && this.optionsOf
						? this.optionsOf(itemIndex)
						: ((Object(parameters) as Record<string, unknown>)[name] ?? fallback),
			getCredentials: async () => this.credential,
			getExecutionCancelSignal: () => undefined,
			getWorkflowDataProxy: () => ({ $runIndex: this.runIndex }),
			getContext: () => this.kept,
			getExecutionId: () => this.id,
			getMode: () => mode,
			continueOnFail: () => continueOnFail,
			addExecutionHints: (hint: unknown) => this.hints.push(hint),
			helpers: {
				httpRequest: undefined,
				httpRequestWithAuthentication: async (_type: string, request: IHttpRequestOptions) =>
					await this.answer(request),
			},
		});
	}

	async run(): Promise<IDataObject[]> {
		return (await runOperation(this.context)).map(({ json, pairedItem }) => ({
			...json,
			of: Object(pairedItem).item,
		}));
	}

	/** The error of the run. */
	async error(): Promise<NodeApiError | NodeOperationError> {
		const error = await this.run().catch((thrown: unknown) => thrown);
		if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
		throw new Error('This is no error of the node');
	}

	private async answer({ url, body }: IHttpRequestOptions) {
		this.sent.push(String(body ?? url));
		const [, place = 0] = /(?:user-|"place":)(\d+)/.exec(String(body)) ?? [];
		const answer = this.answers[Number(place)] ?? 200;
		// The first item takes longest: those beside it may begin some turns of the event loop later.
		for (let turn = 0; turn < TURNS && Number(place) === 0; turn++) await setImmediate();
		if (answer === 'breaks') throw Object.assign(new Error('read'), { code: 'ECONNRESET' });
		return {
			statusCode: answer,
			headers: {},
			body: body ? '{"id":1}' : '{"data":[]}',
		};
	}
}

test('what comes out belongs to its item, in order', async () => {
	expect(await new Execution(2).run()).toEqual([
		{ id: 1, of: 0 },
		{ id: 1, of: 1 },
	]);
	expect(await new Execution(0).run()).toEqual([]);
});

test('an item without fields is sent and told apart, and keeps nothing from the others', async () => {
	const execution = new Execution(3, { parameters: INVOKE, answers: [202, 202, 400] });
	Reflect.deleteProperty(Object(execution.items[1]), 'json');
	expect((await execution.error()).description).toContain(
		'Items (the first is 0): 2 accepted (0-1), 1 refused (2).',
	);
	execution.answers = [202, 202, 202];
	expect(await execution.run()).toHaveLength(3);
	expect(execution.sent).toEqual(['{"place":0}', '{}', '{"place":2}', '{"place":2}']);
});

test.each([
	[
		'an operation that there is not',
		{ parameters: { resource: 'user', operation: 'fly' } },
		/There is no operation "fly" for "user"/,
		{},
	],
	[
		'a credential without an address',
		{ credential: {} },
		/base URL is empty/,
		{ outcome: 'refused' },
	],
])('%s ends the node, or each item if it is to go on', async (_name, setting, message, outcome) => {
	expect((await new Execution(2, setting).error()).message).toMatch(message);
	const words = { error: expect.stringMatching(message), errorDescription: expect.any(String) };
	const failed = { ...outcome, ...words };
	expect(await new Execution(2, { ...setting, continueOnFail: true }).run()).toEqual([
		{ place: 0, ...failed, of: 0 },
		{ place: 1, ...failed, of: 1 },
	]);
});

describe('the error of a run', () => {
	test.each([
		[[200, 400], 4, '1 accepted (0), 1 refused (1), 2 not sent (2-3).'],
		[
			[200, 'breaks'],
			3,
			'1 accepted (0), 1 unknown (1), 1 not sent (2). The service may have acted on what is unknown, so check there before you repeat it.',
		],
	] satisfies Array<[Answer[], number, string]>)(
		'of a write tells what became of each item: %j',
		async (answers, count, summary) => {
			const execution = new Execution(count, { answers });
			const error = await execution.error();
			expect(error.description).toContain(
				` Items (the first is 0): ${summary} To send the rest without repeating anything, `,
			);
			expect(error.context.itemIndex).toBe(1);
			expect(execution.sent).toHaveLength(2);
		},
	);

	test.each([1, 3])(
		'is followed by no call, wherever it waits: %d at once',
		async (concurrency) => {
			const options = { ...INVOKE.options, concurrency };
			const execution = new Execution(50, {
				parameters: { ...INVOKE, options },
				node: { parameters: { options } },
				answers: [202, 400],
			});
			// The second item fails while the third waits, or is under way.
			await execution.error();
			expect(execution.sent).toHaveLength(Math.max(concurrency, 2));
		},
	);

	test('is the failure that ended it, not one that comes from its end', async () => {
		const options = { ...INVOKE.options, retryOnServerError: true };
		const parameters = { ...INVOKE, options };
		// The first item would be sent again when the second one fails.
		const execution = new Execution(2, { parameters, answers: [503, 400] });
		const { message, context } = await execution.error();
		expect(message).toMatch(/did not accept the request/);
		expect(context.itemIndex).toBe(1);
	});

	test('in an expression tells what became of the other items, too', async () => {
		const execution = new Execution(4, { parameters: INVOKE });
		execution.optionsOf = (itemIndex) => {
			if (itemIndex < 3) return INVOKE.options;
			throw new ExpressionError('Referenced node is unexecuted', { description: 'Why.' });
		};
		const { message, description, context } = await execution.error();
		expect(message).toBe('Referenced node is unexecuted');
		expect(description).toMatch(
			/^Why\. Items \(the first is 0\): 1 refused \(3\), 3 not sent \(0-2\)\.$/,
		);
		expect(context.itemIndex).toBe(3);
	});

	test('in a sub-workflow does not send anybody to "Retry", which would begin it anew', async () => {
		const execution = new Execution(2, { answers: [200, 400], mode: 'integrated' });
		expect((await execution.error()).description).toMatch(
			/Items \(the first is 0\): 1 accepted \(0\), 1 refused \(1\)\. A retry of the parent workflow repeats/,
		);
		// The parent may have started it for other items before.
		const single = new Execution(1, { answers: [400], mode: 'integrated' });
		expect((await single.error()).description).toMatch(/A retry of the parent workflow repeats/);
	});

	test.each([
		['of a single item', 1, { answers: [400] }],
		['of a read', 2, { answers: [400], parameters: GET_INBOXES }],
	])('%s tells nothing of items', async (_name, count, setting) => {
		expect((await new Execution(count, setting).error()).description).not.toContain('Items');
	});
});

test('what the operation notes is shown, also of a run that fails', async () => {
	const invoke = {
		...INVOKE,
		webhookId: `https://elsewhere.example.com/webhook/${INVOKE.webhookId}`,
		phone: '+15555550100',
	};
	for (const answers of [[], [200, 400]]) {
		const execution = new Execution(2, { parameters: invoke, answers });
		await execution.run().catch(() => {});
		const hint = expect.objectContaining({ message: expect.stringMatching(/^.* \(2 items\)$/) });
		expect(execution.hints).toEqual([hint]);
	}
});

test('in a loop, only the first item of the first round goes to a test number', async () => {
	const testing = { whenTesting: 'testNumber', testNumber: '+15555550199' };
	const parameters = { ...INVOKE, ...testing };
	const setting = { parameters, node: { parameters: testing }, mode: 'manual', answers: [202] };
	const execution = new Execution(2, setting);
	for (let round = 0; round < 3; round++) {
		execution.runIndex = round;
		expect(await execution.run()).toHaveLength(2);
	}
	expect(execution.sent).toEqual(['{"place":0,"phone":"+15555550199"}']);
});

describe('the next try of a run', () => {
	test('goes on behind what is unknown until everything else is sent, and then says what is unknown', async () => {
		const execution = new Execution(5, { answers: ['breaks'] });
		await execution.error();
		execution.answers = [202, 400];
		expect((await execution.error()).message).toMatch(/did not accept the request/);
		execution.answers = [];
		const { message, description } = await execution.error();
		expect(message).toMatch(/^An earlier try may have been accepted/);
		// The first reason, however many tries there were since.
		expect(description).toContain('failed with: The connection to the messaging service broke off');
		expect(description).toContain('Items (the first is 0): 4 accepted (1-4), 1 unknown (0).');
		expect(new Set(execution.sent).size).toBe(5);
		// The refused one twice.
		expect(execution.sent).toHaveLength(6);
	});

	test('sends what is unknown again when that is wanted, but not by itself', async () => {
		const parameters = { ...INVOKE, options: { ...INVOKE.options, resendUncertain: true } };
		const execution = new Execution(1, { parameters, answers: ['breaks'] });
		await execution.error();
		await execution.error();
		expect(execution.sent).toHaveLength(1);
		execution.id = '2';
		execution.answers = [202];
		expect(await execution.run()).toHaveLength(1);
		expect(execution.sent).toHaveLength(2);
	});

	test('still knows what was unknown when that was sent again and refused', async () => {
		const parameters = { ...INVOKE, options: { ...INVOKE.options, resendUncertain: true } };
		const execution = new Execution(1, { parameters, answers: ['breaks'] });
		await execution.error();
		execution.id = '2';
		execution.answers = [400];
		await execution.error();
		execution.id = '3';
		execution.optionsOf = () => INVOKE.options;
		expect((await execution.error()).message).toMatch(/^An earlier try may have been accepted/);
		expect(execution.sent).toHaveLength(2);
	});

	test.each([false, true])(
		'finds what an AI agent has asked for before, although each try has another run index; goes on: %s',
		async (continueOnFail) => {
			const node = { type: 'n8n-nodes-messaging-service.messagingServiceTool' };
			const setting = { parameters: INVOKE, node, continueOnFail };
			const execution = new Execution(1, { ...setting, answers: ['breaks', 202] });
			const ask = async (place: number) => {
				execution.runIndex++;
				execution.items = [{ json: { place } }];
				const [item] = await execution.run().catch((error: unknown) => [{ error: String(error) }]);
				return String(item.error);
			};
			expect(await ask(0)).toContain('broke off');
			expect(await ask(0)).toContain('not sent again');
			// What comes through in between does not make it forget.
			expect(await ask(1)).toBe('undefined');
			expect(await ask(0)).toContain('not sent again');
			expect(execution.sent).toHaveLength(2);
		},
	);

	test('does not forget what was sent when an option of that item could not be read for a try', async () => {
		const execution = new Execution(3, { parameters: INVOKE, answers: [202, 'breaks', 400] });
		await execution.error();
		execution.answers = [202, 202, 202];
		execution.optionsOf = () => ({ ...INVOKE.options, timeout: 'abc' });
		await execution.error();
		execution.optionsOf = undefined;
		expect((await execution.error()).description).toContain('2 accepted (0, 2), 1 unknown (1)');
		expect(execution.sent).toHaveLength(4);
	});

	test('does not call refused what was sent before, when the credential cannot be used', async () => {
		const node = { retryOnFail: true };
		const setting = { parameters: INVOKE, node, continueOnFail: true };
		const execution = new Execution(2, { ...setting, answers: ['breaks', 202] });
		expect(await execution.run()).toMatchObject([{ outcome: 'unknown' }, { outcome: 'accepted' }]);
		execution.credential = {};
		const outcomes = (await execution.run()).map(({ outcome }) => outcome);
		expect(outcomes).toEqual([undefined, undefined]);
	});

	test('knows nothing of another run in a loop', async () => {
		const execution = new Execution(1, { parameters: INVOKE, answers: ['breaks'] });
		await execution.error();
		execution.runIndex = 1;
		execution.answers = [202];
		expect(await execution.run()).toHaveLength(1);
	});
});
