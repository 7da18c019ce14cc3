/** The Retry button of a failed execution: n8n runs the failed node again with all of its items. */
import { WorkflowExecute } from 'n8n-core';
import type {
	IDataObject,
	INodeParameters,
	IRunExecutionData,
	ITaskData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { seeded, type Fault, type Service } from '../../sandbox/service/service.ts';
import {
	additionalData,
	buildWorkflow,
	type EngineResult,
	type EngineRun,
	resultOf,
	runNode,
} from './engine.ts';
import './memoryStore.ts';
import { credentialOf, hurry, start } from './service.ts';
import { byId, numbered, writes, type Write } from './writes.ts';

hurry();

/** A way in which n8n ends an execution, by what it leaves of it and with what a retry begins. */
interface Ending {
	/** Changes the data of an execution in which this node failed into what n8n has of one that ended so. */
	leave(data: IRunExecutionData): void;
	/** How many steps a retry makes before this node. */
	stepsBefore: number;
	/** Whether the first of these is the trigger, which begins anew. */
	beginsAnew?: boolean;
	/** Whether somebody retries it within seconds. */
	isRetriedAtOnce?: boolean;
}

const forget = (data: IRunExecutionData) => {
	if (data.executionData) data.executionData.contextData = {};
	delete data.resultData.runData.Node;
};
const sourceOf = ({ resultData }: IRunExecutionData): ITaskData => {
	const [source] = resultData.runData.Source ?? [];
	if (!source) throw new Error('Nothing was run');
	return source;
};
/** Milliseconds until somebody retries an execution. */
const LATER = 60_000;

/** Of these, nothing tells what was sent. */
const UNTRACED: Record<string, Ending> = {
	'n8n was killed, and its event log is there': {
		leave(data) {
			sourceOf(data).data = { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] };
			forget(data);
			data.resultData.runData.Node = [];
		},
		stepsBefore: 1,
		beginsAnew: true,
	},
	'n8n was killed, and its event log is gone': {
		leave(data) {
			forget(data);
			data.resultData.runData = {};
		},
		stepsBefore: 1,
		beginsAnew: true,
	},
	'a worker was killed, and somebody retried it at once': {
		leave(data) {
			forget(data);
			data.resultData.runData = {};
		},
		stepsBefore: 1,
		beginsAnew: true,
		isRetriedAtOnce: true,
	},
	'n8n was killed, and a retry of that failed in an earlier node': {
		leave(data) {
			forget(data);
			sourceOf(data).startTime += LATER;
		},
		stepsBefore: 1,
	},
	'n8n was killed, with Save Execution Progress': { leave: forget, stepsBefore: 0 },
	'somebody stopped it': {
		leave(data) {
			forget(data);
			data.resultData.runData = {};
			delete data.resultData.lastNodeExecuted;
			data.resultData.error = { message: 'stopped' } as IRunExecutionData['resultData']['error'];
		},
		stepsBefore: 1,
		beginsAnew: true,
	},
	'n8n 1 was killed': {
		leave(data) {
			forget(data);
			delete data.executionData?.runtimeData;
		},
		stepsBefore: 1,
	},
};

/** Of this one, n8n's data prove that this node had not begun. */
const FAILED_EARLIER: Ending = { leave: forget, stepsBefore: 1 };

/** What n8n has of an execution that was put to wait before this node. */
const WAITED: Ending = { leave: forget, stepsBefore: 1 };

/** An execution of a writing operation, as n8n stores it, with its retries. */
class Execution {
	private readonly run: EngineRun;
	/** What n8n has of the execution itself. */
	private readonly failed: IRunExecutionData;
	/** What came of the execution, or of its latest retry. */
	result: EngineResult;
	private id = 0;
	/** How the execution ended; by a failure of this node when left out. */
	private ending?: Ending;

	private constructor(run: EngineRun, result: EngineResult) {
		this.run = run;
		this.result = result;
		this.failed = stored(result);
	}

	static async begin(
		service: Service,
		{ operation, parameters }: Pick<Write, 'operation' | 'parameters'>,
		input: IDataObject[],
		more: Pick<Partial<EngineRun>, 'maxCalls' | 'executionId'> = {},
	): Promise<Execution> {
		const [resource, name] = operation.split('.');
		const run: EngineRun = {
			credential: credentialOf(service),
			parameters: { resource, operation: name, ...parameters },
			input,
			mode: 'webhook',
			executionId: '0',
			...more,
		};
		return new Execution(run, await runNode(run));
	}

	/** Begins an execution that goes on after a Wait node. When it is killed, n8n has what it had stored before that. */
	static async beginAfterWait(
		service: Service,
		write: Write,
		ending: Ending = WAITED,
	): Promise<Execution> {
		const parameters = { ...write.parameters, options: { timeout: 'soon' } };
		const execution = await Execution.begin(service, { ...write, parameters }, items);
		execution.endBy(ending);
		const changed = { options: {} };
		await execution.goOn(structuredClone(execution.failed), { changed, ending, mode: 'webhook' });
		return execution;
	}

	/** Retries the latest retry. */
	async retry(changed: INodeParameters = {}): Promise<void> {
		await this.goOn(stored(this.result), { changed });
	}

	/**
	 * Retries the execution itself, whatever other retries have done since.
	 *
	 * @param input what the node before this one gives now, if that is something else
	 */
	async retryFirst(changed: INodeParameters = {}, input?: IDataObject[]): Promise<void> {
		const data = structuredClone(this.failed);
		if (input) {
			for (const { data: inputs } of data.executionData?.nodeExecutionStack ?? []) {
				inputs.main = [input.map((json) => ({ json }))];
			}
		}
		await this.goOn(data, { changed, ending: this.ending });
	}

	/** Has another credential, another entry of it, or another setting for failed items, for the retries. */
	use(changed: Pick<Partial<EngineRun>, 'credential' | 'credentialId' | 'onError'>): void {
		Object.assign(this.run, changed);
	}

	/** Leaves of the execution what n8n has of one that ended in this way. */
	endBy(ending: Ending): void {
		this.ending = ending;
		ending.leave(this.failed);
	}

	/**
	 * What n8n's own service for executions does, with the "currently saved workflow" where it was changed.
	 *
	 * @param options.ending how the execution ended; by a failure of this node when left out
	 */
	private async goOn(
		data: IRunExecutionData,
		{
			changed,
			ending,
			mode = 'retry',
		}: { changed: INodeParameters; ending?: Ending; mode?: WorkflowExecuteMode },
	): Promise<void> {
		this.run.parameters = { ...this.run.parameters, ...changed };
		if (data.resultData.lastNodeExecuted) delete data.resultData.error;
		const last = data.resultData.runData[data.resultData.lastNodeExecuted ?? ''];
		if (last?.at(-1)?.error) last.pop();
		const { stepsBefore = 0, beginsAnew = false, isRetriedAtOnce = false } = ending ?? {};
		const startTime = Date.now() + (isRetriedAtOnce ? 0 : LATER) + ++this.id;
		const step: ITaskData = { startTime, executionIndex: 0, executionTime: 1, source: [null] };
		const { runData } = data.resultData;
		// JavaScript puts a name that is a number before all others.
		const name = beginsAnew ? 'Source' : '2';
		if (stepsBefore > 0)
			data.resultData.runData = { ...runData, [name]: [...(runData[name] ?? []), step] };
		const workflow = buildWorkflow(this.run);
		for (const entry of data.executionData?.nodeExecutionStack ?? []) {
			entry.node = workflow.getNode(entry.node.name) ?? entry.node;
		}
		// Each retry is an execution of its own.
		const more = additionalData({ ...this.run, executionId: String(++this.id) });
		more.currentNodeExecutionIndex = stepsBefore;
		const retry = new WorkflowExecute(more, mode, data);
		this.result = resultOf(await retry.processRunExecutionData(workflow));
	}
}

/** The data of an execution as the database gives them back. */
function stored({ data }: EngineResult): IRunExecutionData {
	const copy: IRunExecutionData = JSON.parse(JSON.stringify(data));
	return copy;
}

/** Which input item each output item is paired with. */
function pairsOf({ outputs: [items = []] }: EngineResult): unknown[] {
	return items.map(({ pairedItem }) => pairedItem);
}

const ITEMS = 10;
const REFUSED = 6;
const items = numbered(ITEMS);

/** The items that the service accepted, in ascending order, as often as it did. */
function accepted(service: Service, { itemOf }: Write): number[] {
	return service
		.received()
		.filter(({ status }) => typeof status === 'number' && status < 300)
		.map((request) => itemOf(request))
		.sort((a, b) => a - b);
}

/** One call at a time, so that items are sent in their order. */
const IN_TURN = { maxCalls: 1 };

const everyItemOnce = items.map((_, index) => index);

/** An answer to one of the requests, by its number. */
const answer = (status: number, exactly: number): Fault => ({
	kind: 'status',
	status,
	processed: status === 500,
	requests: { exactly },
});

/** Runs the items, of which some fail. */
async function failing(write: Write, ...faults: Fault[]) {
	const service = await start({ faults });
	const execution = await Execution.begin(service, write, items);
	return { service, execution };
}

describe.each(writes)('$operation', (write) => {
	test('continues where it stopped', async () => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		expect(execution.result.error).toBeDefined();
		const before = accepted(service, write);

		await execution.retry();
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(service.received()).toHaveLength(ITEMS + 1);
		expect(execution.result.json).toHaveLength(ITEMS);
		expect(pairsOf(execution.result)).toEqual(everyItemOnce.map((item) => ({ item })));
		expect(before.length).toBeGreaterThanOrEqual(REFUSED - 1);
	});

	test('sends the rest, but not what is in doubt, however often it is retried', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		for (let retries = 0; retries < 2; retries++) {
			await execution.retry();
			expect(execution.result.error?.message).toMatch(/not sent again/);
			expect(execution.result.error?.description).toMatch(/reported a server error/);
		}
		const sent = service.received().map((request) => write.itemOf(request));
		expect(sent.sort((a, b) => a - b)).toEqual(everyItemOnce);
	});
});

/** Each way in which nothing tells what was sent, with one of the writes: `webhook calls` below are tried in all of them. */
const endings = Object.entries(UNTRACED).map(([name, ending], index) => {
	return { name, ending, write: writes[index % writes.length] };
});

test.each(endings)(
	'$write.operation sends nothing, however often it is retried, where $name',
	async ({ ending, write }) => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		execution.endBy(ending);
		const requests = service.received().length;
		const expectNothing = () => {
			expect(execution.result.error?.message).toMatch(/not sent again/);
			expect(service.received()).toHaveLength(requests);
		};
		await execution.retryFirst();
		expectNothing();
		// The retry of a retry, also of one that ended before its first item.
		await execution.retry({ options: { timeout: '={{ $itemIndex === 1 ? "soon" : 1000 }}' } });
		expect(service.received()).toHaveLength(requests);
		await execution.retry({ options: {} });
		expectNothing();
		await execution.retryFirst();
		expectNothing();
	},
);

test.each(writes)(
	'$operation of an execution in which an earlier node failed is sent, and once over all retries',
	async (write) => {
		const service = await start();
		const soon = { ...write.parameters, options: { timeout: 'soon' } };
		const execution = await Execution.begin(service, { ...write, parameters: soon }, items);
		execution.endBy(FAILED_EARLIER);
		for (let retries = 0; retries < 2; retries++) {
			await execution.retryFirst({ options: {} });
			expect(execution.result.error).toBeUndefined();
			expect(accepted(service, write)).toEqual(everyItemOnce);
		}
	},
);

test.each(writes)(
	'$operation after a Wait node is sent once although n8n was killed, and completed by the retry',
	async (write) => {
		const service = await start({ faults: [answer(400, REFUSED)] });
		const execution = await Execution.beginAfterWait(service, write);
		expect(execution.result.error).toBeDefined();
		const sent = service.received().length;
		for (let retries = 0; retries < 2; retries++) {
			await execution.retryFirst();
			expect(execution.result.error).toBeUndefined();
			expect(accepted(service, write)).toEqual(everyItemOnce);
		}
		expect(service.received().length).toBeGreaterThanOrEqual(sent);
	},
);

describe.each(writes)('$operation, when the failed execution itself is retried again', (write) => {
	test('sends nothing that the first retry has sent', async () => {
		const refused = [answer(400, REFUSED), answer(400, REFUSED + 4)];
		const { service, execution } = await failing(write, ...refused);
		await execution.retryFirst();
		await execution.retryFirst();
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(pairsOf(execution.result)).toEqual(everyItemOnce.map((item) => ({ item })));
		const skipped = execution.result.json.filter(({ outcome }) => outcome === 'skipped');
		expect(skipped.length).toBeGreaterThan(0);
		expect(execution.result.hints).toContainEqual(expect.stringContaining('Another retry'));

		const requests = service.received().length;
		for (let retries = 0; retries < 2; retries++) await execution.retryFirst();
		expect(service.received()).toHaveLength(requests);
	});

	test('sends what is new alone, when other items came in before the earlier ones', async () => {
		const { service, execution } = await failing(write, answer(400, 1));
		await execution.retryFirst();
		const added = numbered(ITEMS + 1).slice(-1);
		await execution.retryFirst({}, [...added, ...items]);
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual([...everyItemOnce, ITEMS]);
	});

	test('does not send what the first retry left in doubt', async () => {
		const faults = [answer(400, REFUSED), answer(500, ITEMS + 1), answer(500, REFUSED + 1)];
		const { service, execution } = await failing(write, ...faults);
		await execution.retryFirst();
		await execution.retryFirst();
		expect(execution.result.error?.description).toMatch(/\d unknown \(/);
		const sent = service.received().filter(({ status }) => status !== 400);
		const numbers = sent.map((request) => write.itemOf(request));
		expect(numbers).toHaveLength(new Set(numbers).size);
	});
});

describe.each(writes)('$operation, when the retry has another account', (write) => {
	const isStart = write.operation === 'agent.start';

	test('sends nothing there, and says to start anew', async () => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		const other = await start();
		execution.use({ credential: credentialOf(other), credentialId: '2' });
		await execution.retry();
		const { message, description } = execution.result.error ?? {};
		expect(message).toMatch(/used another account or webhook, so nothing was sent/);
		expect(description).toMatch(/start the workflow anew/);
		expect(other.received()).toEqual([]);
		// The account of before goes on.
		execution.use({ credential: credentialOf(service), credentialId: '1' });
		await execution.retry();
		expect(accepted(service, write)).toEqual(everyItemOnce);
	});

	test.each([
		['another key in the same credential', { credentialId: '1' }, true],
		['another credential for the same address', { credentialId: '2' }, isStart],
	])('goes on with %s where that is the same account', async (_name, { credentialId }, isSame) => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		const requests = service.received().length;
		const credential = credentialOf(service, { webhookSecret: 'another entry' });
		execution.use({ credential, credentialId });
		await execution.retry();
		expect(execution.result.error === undefined).toBe(isSame);
		if (isSame) expect(accepted(service, write)).toEqual(everyItemOnce);
		else expect(service.received()).toHaveLength(requests);
	});

	test('goes on with another account when nothing had been accepted', async () => {
		const { service, execution } = await failing(write, {
			kind: 'status',
			status: 401,
			requests: { first: ITEMS },
		});
		const before = service.received().length;
		execution.use({ credential: credentialOf(service), credentialId: '2' });
		await service.configure({ faults: [] });
		await execution.retry();
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(service.received().length).toBeGreaterThan(before);
	});
});

describe('a node that is set to another operation', () => {
	const parametersOf = ({ operation: name, parameters }: Write): INodeParameters => {
		const [resource, operation] = name.split('.');
		return { options: {}, ...parameters, resource, operation };
	};

	test.each(['of the failed execution', 'of an execution in which an earlier node failed'])(
		'takes nothing for done that the other one did in a retry %s',
		async (which) => {
			const service = await start({ faults: [answer(400, 3)] });
			const name = '={{ "user" + $json.n + "@example.com" }}';
			const write = { operation: 'inbox.createExternal', parameters: { name } } as const;
			const execution = await Execution.begin(service, write, numbered(4));
			expect(execution.result.error).toBeDefined();
			const toUser = { resource: 'user', operation: 'create', email: name };
			if (which === 'of the failed execution') await execution.retry(toUser);
			else {
				execution.endBy(FAILED_EARLIER);
				await execution.retryFirst();
				await execution.retryFirst(toUser);
			}
			expect(execution.result.error).toBeUndefined();
			expect(execution.result.json.map(({ email }) => email)).toEqual(
				numbered(4).map(({ n }) => `user${n}@example.com`),
			);
		},
	);

	test.each(writes)('and back to $operation sends nothing twice', async (write) => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		for (const other of writes.filter((each) => each !== write)) {
			await execution.retry({ ...parametersOf(other), options: { timeout: 'soon' } });
			expect(execution.result.error?.message).toContain('"Timeout"');
		}
		await execution.retry(parametersOf(write));
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
	});
});

describe('webhook calls', () => {
	const write = writes.find(({ operation }) => operation === 'agent.start');
	if (!write) throw new Error('No writes');

	test('of an execution that could not begin at all are sent by the retry', async () => {
		const service = await start();
		const parameters = { ...write.parameters, options: { timeout: 0 } };
		const execution = await Execution.begin(service, { ...write, parameters }, items);
		expect(execution.result.error?.message).toContain('"Timeout"');
		await execution.retry({ options: {} });
		expect(accepted(service, write)).toEqual(everyItemOnce);
	});

	test('of which some were sent are not begun anew, say the words of a retry that cannot begin', async () => {
		const { execution } = await failing(write, answer(400, REFUSED));
		execution.use({ credential: { baseUrl: '', apiKey: 'key' } });
		await execution.retry();
		const { message, description } = execution.result.error ?? {};
		expect(message).toBe('The base URL is empty.');
		expect(description).toContain('do not run the workflow again');
	});

	test('that are refused in a retry are its error, not what an earlier try has left in doubt', async () => {
		const service = await start({ faults: [answer(500, 1)] });
		const execution = await Execution.begin(service, write, items, IN_TURN);
		await service.configure({ faults: [{ kind: 'status', status: 400 }] });
		await execution.retry();
		expect(execution.result.error?.message).toMatch(/did not accept the request/);
	});

	test('after a Wait node are made by each of the executions that began at the same moment', async () => {
		const service = await start();
		const establishedAt = Date.now();
		const leave = (data: IRunExecutionData) => {
			forget(data);
			Object.assign(data.executionData?.runtimeData ?? {}, { establishedAt });
		};
		const ending = { ...WAITED, leave };
		const first = await Execution.beginAfterWait(service, write, ending);
		const second = await Execution.beginAfterWait(service, write, ending);
		const twice = everyItemOnce.flatMap((item) => [item, item]);
		expect(accepted(service, write)).toEqual(twice);
		for (const execution of [first, second]) await execution.retryFirst();
		expect(service.received()).toHaveLength(twice.length);
	});

	test('that another retry has left in doubt are an error that says so', async () => {
		const service = await start({ faults: [answer(400, 1)] });
		const execution = await Execution.begin(service, write, numbered(1));
		await service.configure({ faults: [{ kind: 'status', status: 500 }] });
		await execution.retryFirst();
		await service.configure({ faults: [] });
		await execution.retryFirst();
		expect(execution.result.error?.description).toContain('another retry left its outcome unknown');
	});

	const [known = ''] = seeded.demo.webhookIds;
	const other = '123e4567-e89b-42d3-a456-426614174000';
	const fixed = (id: string): INodeParameters => ({ webhook: byId(id) });
	const byExpression = (id: string): INodeParameters => ({
		webhook: { ...byId(''), value: `={{ "${id}" }}` },
	});

	test.each([
		['another webhook', fixed(known), fixed(other), false],
		['another webhook that an expression gives', byExpression(known), byExpression(other), false],
		[
			'the same webhook, however it is written',
			fixed(known),
			fixed(`https://a.example.com/public/pipelines/webhook/${known}/`),
			true,
		],
	])('go on only with the same webhook: %s', async (_what, before, after, isSame) => {
		const parameters = { ...write.parameters, ...before };
		const { service, execution } = await failing({ ...write, parameters }, answer(400, REFUSED));
		const requests = service.received().length;
		await execution.retry(after);
		if (isSame) return expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(execution.result.error?.message).toMatch(/used another account or webhook/);
		expect(service.received()).toHaveLength(requests);
	});

	test('in doubt are sent again when that is wanted', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		await execution.retry({ options: { sendAgain: 'unknown' } });
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(execution.result.hints).toContainEqual(
			expect.stringMatching(/^"Send Again" is "Unknown", which in a retry .*Set it back/),
		);
	});

	test('in doubt stay so when they are sent again and refused', async () => {
		const { service, execution } = await failing(
			write,
			answer(500, REFUSED),
			answer(400, ITEMS + 1),
		);
		await execution.retry({ options: { sendAgain: 'unknown' } });
		expect(execution.result.error?.message).toContain('did not accept the request');
		const requests = service.received().length;
		await execution.retry({ options: {} });
		expect(execution.result.error?.message).toMatch(/not sent again/);
		expect(service.received()).toHaveLength(requests);
	});

	test('are continued with another payload too', async () => {
		const { service, execution } = await failing(write, answer(400, REFUSED));
		const payloadJson = '={ "n": {{ $json.n }}, "at": {{ $now.toMillis() }} }';
		await execution.retry({ payloadMode: 'json', payloadJson });
		expect(accepted(service, write)).toEqual(everyItemOnce);
		// What comes out is what was sent: to some before, and to the others now.
		const bodies = new Map(service.accepted().map(({ body }) => [body.n, body]));
		const shown = execution.result.json.map(({ webhookBody }) => webhookBody);
		expect(shown).toEqual(items.map(({ n }) => bodies.get(n)));
		expect(shown.filter((body) => Object(body).at !== undefined)).toHaveLength(1);
	});

	test.each(['Phone', 'Payload'] as const)(
		'to other numbers in %s are not sent by a retry, since these may be the same people',
		async (field) => {
			const service = await start({ faults: [answer(400, REFUSED)] });
			const whom = (tens: number) => `=+155555501${tens}{{ $json.n }}`;
			const parametersOf = {
				Phone: (tens: number) => ({ phone: whom(tens) }),
				Payload: (tens: number) => ({
					phone: '',
					payloadMode: 'json',
					payloadJson: `={ "phone": "${whom(tens).slice(1)}", "n": {{ $json.n }} }`,
				}),
			};
			const parameters = { ...write.parameters, ...parametersOf[field](0) };
			const execution = await Execution.begin(service, { ...write, parameters }, items, IN_TURN);
			const requests = service.received().length;
			for (const tens of [1, 2]) {
				await execution.retry(parametersOf[field](tens));
				expect(execution.result.error?.message).toMatch(/not sent again/);
				expect(execution.result.error?.description).toMatch(/Change it back and retry/);
			}
			expect(service.received()).toHaveLength(requests);
			await execution.retry(parametersOf[field](0));
			expect(execution.result.error).toBeUndefined();
			expect(numbers(service)).toEqual(everyItemOnce);
		},
	);

	test('to a number that was texted are not sent where Send Once is turned on for the retry', async () => {
		const twice = items.slice(0, 2);
		const parameters = { ...write.parameters, phone: '+15555550142' };
		const service = await start({ faults: [answer(400, 2)] });
		const execution = await Execution.begin(service, { ...write, parameters }, twice, IN_TURN);
		await execution.retryFirst({ sendOnce: 'phone' });
		expect(execution.result.json.map(({ outcome }) => outcome)).toEqual(['accepted', 'skipped']);
		expect(service.accepted()).toHaveLength(1);
	});

	test('that Send Once has called unknown are forgotten by a retry once they were accepted elsewhere', async () => {
		const once = { ...write.parameters, sendOnce: 'phone' };
		const service = await start({ faults: [answer(500, REFUSED)] });
		const execution = await Execution.begin(service, { ...write, parameters: once }, items);
		const unknown = service.received().filter(({ status }) => status === 500);
		const alone = unknown.map((request) => ({ n: write.itemOf(request) }));
		const again = { ...once, options: { sendAgain: 'unknown' } };
		await service.configure({ faults: [] });
		await Execution.begin(service, { ...write, parameters: again }, alone);
		await execution.retryFirst();
		const later = { executionId: 'later' };
		const { result } = await Execution.begin(service, { ...write, parameters: once }, items, later);
		expect(alone).toHaveLength(1);
		expect(result.json.map(({ outcome }) => outcome)).toEqual(items.map(() => 'skipped'));
	});

	test('that are unknown are remembered where Send Once is turned on for the retry', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		await execution.retryFirst({ sendOnce: 'phone' });
		expect(execution.result.error?.message).toMatch(/not sent again/);
		const once = { ...write.parameters, sendOnce: 'phone' };
		const { result } = await Execution.begin(service, { ...write, parameters: once }, items);
		expect(result.json.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(1);
		expect(service.received()).toHaveLength(ITEMS);
	});

	test('that stay unknown although a retry had them refused are remembered by its Send Once', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		await service.configure({ faults: [{ kind: 'status', status: 400 }] });
		await execution.retry({ sendOnce: 'phone', options: { sendAgain: 'unknown' } });
		expect(execution.result.error?.message).toMatch(/did not accept/);
		await service.configure({ faults: [] });
		await execution.retry({ options: {} });
		expect(execution.result.error?.message).toMatch(/not sent again/);
		const once = { ...write.parameters, sendOnce: 'phone' };
		const later = { executionId: 'later' };
		const { result } = await Execution.begin(service, { ...write, parameters: once }, items, later);
		expect(result.json.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(1);
	});

	describe('in a retry that cannot read an item', () => {
		const broken = (n: number) => ({
			payloadMode: 'json',
			payloadJson: `={{ $json.n === ${n} ? '{' : '{ "n": ' + $json.n + ' }' }}`,
		});

		test('are unknown where an earlier try may have sent it', async () => {
			const { service, execution } = await failing(write, answer(400, REFUSED));
			await execution.retry(broken(0));
			const { description } = execution.result.error ?? {};
			expect(description).toMatch(/unknown \(0\b/);
			expect(description).not.toMatch(/refused \(|not sent \(/);
			execution.use({ onError: 'continueRegularOutput' });
			await execution.retryFirst(broken(0));
			expect(execution.result.json[0]).toMatchObject({ outcome: 'unknown' });
			expect(accepted(service, write)).toEqual(everyItemOnce);
		});

		test('are refused where the others are all that an earlier try has sent', async () => {
			const service = await start({ faults: [answer(400, REFUSED)] });
			const execution = await Execution.begin(service, write, items, IN_TURN);
			execution.use({ onError: 'continueRegularOutput' });
			const last = ITEMS - 1;
			await execution.retry(broken(last));
			expect(execution.result.json[last]).toMatchObject({ outcome: 'refused' });
			expect(accepted(service, write)).toEqual(everyItemOnce.slice(0, last));
		});
	});

	test('of equal items are told apart by their order', async () => {
		const service = await start({
			faults: [{ kind: 'status', status: 400, requests: { first: 1 } }],
		});
		const same = [{ n: 0 }, { n: 0 }, { n: 1 }];
		const execution = await Execution.begin(service, write, same);
		await execution.retry();
		expect(accepted(service, write)).toEqual([0, 0, 1]);
	});

	test('go to whom they are about, although a step before has read the list anew', async () => {
		const [one, two, three, added] = [1, 2, 3, 9].map((n) => `+1555555010${n}`);
		/** Equal items, whose numbers come from elsewhere. */
		const to = (...phones: string[]): INodeParameters => ({
			phone: `={{ ${JSON.stringify(phones)}[$itemIndex] }}`,
		});
		const equal = (count: number) => Array.from({ length: count }, () => ({ lead: true }));
		const parameters = { ...write.parameters, ...to(one, two, three) };
		const service = await start({ faults: [answer(400, 1), answer(400, 4)] });
		const execution = await Execution.begin(service, { ...write, parameters }, equal(3), IN_TURN);
		execution.endBy(FAILED_EARLIER);
		await execution.retryFirst();
		expect(execution.result.error).toBeDefined();
		await execution.retryFirst(to(added, one, two, three), equal(4));
		expect(execution.result.error).toBeUndefined();
		const texted = service.accepted().map(({ body }) => body.phone);
		expect(texted).toEqual([one, two, added, three]);
	});

	const numbers = (service: Service) => service.accepted().map(({ body }) => Number(body.n));

	test('of "Everybody of This Run" are completed, whatever was sent before', async () => {
		const once = { ...write.parameters, sendOnce: 'phone' };
		const service = await start();
		await Execution.begin(service, { ...write, parameters: once }, items);
		await service.reset('log');
		await service.configure({ faults: [answer(400, REFUSED)] });
		const parameters = { ...once, options: { sendAgain: 'everybody' } };
		const execution = await Execution.begin(service, { ...write, parameters }, items, IN_TURN);
		expect(numbers(service)).toEqual(everyItemOnce.slice(0, REFUSED - 1));
		await execution.retryFirst();
		await execution.retryFirst();
		expect(execution.result.error).toBeUndefined();
		expect(numbers(service)).toEqual(everyItemOnce);
	});

	test('that were accepted are remembered where Send Once is turned on for the retry', async () => {
		const service = await start({ faults: [answer(400, 1)] });
		const once = { ...write.parameters, sendOnce: 'phone' };
		// Of the first one, Send Once remembers a refusal.
		await Execution.begin(service, { ...write, parameters: once }, items.slice(0, 1));
		await service.reset('log');
		await service.configure({ faults: [answer(400, REFUSED)] });
		const execution = await Execution.begin(service, write, items, IN_TURN);
		await execution.retryFirst({ sendOnce: 'phone' });
		expect(numbers(service)).toEqual(everyItemOnce);
		const { result } = await Execution.begin(service, { ...write, parameters: once }, items);
		expect(result.error).toBeUndefined();
		expect(numbers(service)).toEqual(everyItemOnce);
	});

	test('of "Everybody of This Run" reach nobody twice who is in the list twice', async () => {
		const parameters = {
			...write.parameters,
			sendOnce: 'key',
			key: '={{ $json.n % 3 }}',
			options: { sendAgain: 'everybody' },
		};
		const service = await start({ faults: [answer(400, 3)] });
		const execution = await Execution.begin(service, { ...write, parameters }, items, IN_TURN);
		await execution.retryFirst();
		expect(execution.result.error).toBeUndefined();
		expect(service.accepted().map(({ body }) => Number(body.n) % 3)).toEqual([0, 1, 2]);
	});

	test('of "Everybody of This Run" are sent by a retry that had not begun before', async () => {
		const once = { ...write.parameters, sendOnce: 'phone' };
		const service = await start();
		await Execution.begin(service, { ...write, parameters: once }, items);
		await service.reset('log');
		const soon = { ...once, options: { sendAgain: 'everybody', timeout: 'soon' } };
		const execution = await Execution.begin(service, { ...write, parameters: soon }, items);
		execution.endBy(FAILED_EARLIER);
		await execution.retryFirst({ options: { sendAgain: 'everybody' } });
		expect(execution.result.error).toBeUndefined();
		expect(numbers(service)).toEqual(everyItemOnce);
	});

	describe.each(Object.entries(UNTRACED))('of an execution where %s', (_name, ending) => {
		const killed = async (parameters: INodeParameters = {}) => {
			const service = await start({ faults: [answer(400, REFUSED)] });
			const all = { ...write.parameters, ...parameters };
			const execution = await Execution.begin(
				service,
				{ ...write, parameters: all },
				items,
				IN_TURN,
			);
			execution.endBy(ending);
			return { service, execution, sent: service.received().length };
		};

		test.each<[string, INodeParameters]>([
			['Send Once is turned on for the retry', { sendOnce: 'phone' }],
			['everybody is to be texted', { sendOnce: 'phone', options: { sendAgain: 'everybody' } }],
		])('are not sent again although %s', async (_what, changed) => {
			const { service, execution, sent } = await killed();
			for (let retries = 0; retries < 2; retries++) {
				await execution.retryFirst(changed);
				expect(execution.result.error?.message).toMatch(/not sent again/);
				expect(service.received()).toHaveLength(sent);
			}
		});

		test('are not sent again where Send Once was on, and the words say how to go on', async () => {
			const { service, execution, sent } = await killed({ sendOnce: 'phone' });
			await execution.retryFirst();
			expect(execution.result.error?.description).toMatch(
				/If "Send Once" was on and skips what was accepted, run the workflow again/,
			);
			expect(service.received()).toHaveLength(sent);
		});

		test('are sent when the user says so, once over all retries, where n8n names the execution', async () => {
			const { service, execution, sent } = await killed();
			const unknown = { options: { sendAgain: 'unknown' } };
			await execution.retryFirst(unknown);
			if (ending === UNTRACED['n8n 1 was killed']) {
				expect(execution.result.error?.description).toMatch(/does not tell which execution/);
				expect(service.received()).toHaveLength(sent);
				return;
			}
			expect(execution.result.error).toBeUndefined();
			expect(service.received()).toHaveLength(sent + ITEMS);
			await execution.retryFirst(unknown);
			await execution.retry(unknown);
			expect(service.received()).toHaveLength(sent + ITEMS);
		});
	});

	test.each([
		['off', 'phone'],
		['phone', 'off'],
	])('are sent once although Send Once is %s in one retry and %s in the next', async (...modes) => {
		const [first, second] = modes.map((sendOnce) => ({ sendOnce }));
		const service = await start({ faults: [answer(400, 1), answer(400, 4)] });
		const parameters = { ...write.parameters, ...first };
		const execution = await Execution.begin(
			service,
			{ ...write, parameters },
			numbered(5),
			IN_TURN,
		);
		await execution.retryFirst();
		expect(execution.result.error).toBeDefined();
		await execution.retryFirst(second);
		expect(execution.result.error).toBeUndefined();
		expect(numbers(service)).toEqual([0, 1, 2, 3, 4]);
	});
});
