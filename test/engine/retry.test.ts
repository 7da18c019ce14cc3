/** The Retry button of a failed execution: n8n runs the failed node again with all of its items. */
import { WorkflowExecute } from 'n8n-core';
import type { IDataObject, INodeParameters, IRunExecutionData } from 'n8n-workflow';

import type { Fault, Service } from '../../sandbox/service/service.ts';
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
import { numbered, writes, type Write } from './writes.ts';

hurry();

/** When n8n stores the data of an execution that is under way. */
type Saved = 'at the beginning' | 'after each node' | 'at a Wait node';

/** An execution of a writing operation, as n8n stores it, with its retries. */
class Execution {
	private readonly run: EngineRun;
	/** What n8n has of the execution itself. */
	private readonly failed: IRunExecutionData;
	/** What came of the execution, or of its latest retry. */
	result: EngineResult;
	private id = 0;
	/** How many steps the retries run before the node. */
	private stepsBefore = 0;

	private constructor(run: EngineRun, result: EngineResult) {
		this.run = run;
		this.result = result;
		this.failed = stored(result);
	}

	static async begin(
		service: Service,
		{ operation, parameters }: Pick<Write, 'operation' | 'parameters'>,
		input: IDataObject[],
		more: Pick<EngineRun, 'maxCalls'> = {},
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

	/** Retries the latest retry. */
	async retry(changed: INodeParameters = {}): Promise<void> {
		await this.retryOf(stored(this.result), changed);
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
		await this.retryOf(data, changed);
	}

	/** Leaves of the execution what n8n has of one in which the step before the node failed. */
	failEarlier(): void {
		this.forget();
		delete this.failed.resultData.runData.Node;
		// The retries begin with that step.
		this.stepsBefore = 1;
	}

	/**
	 * Leaves of the execution what n8n has of one during which it was killed.
	 *
	 * @param saved when n8n had stored its data for the last time
	 */
	cutOff(saved: Saved): void {
		this.forget();
		const [source] = this.failed.resultData.runData.Source ?? [];
		if (!source) throw new Error('Nothing was run');
		if (saved === 'at the beginning') {
			source.data = { main: [[{ json: { isArtificialRecoveredEventItem: true } }]] };
		}
		// The retry begins with the Wait node, or with the trigger.
		if (saved !== 'after each node') this.stepsBefore = 1;
	}

	/** Drops what the execution keeps for its nodes. */
	private forget(): void {
		if (this.failed.executionData) this.failed.executionData.contextData = {};
	}

	/** What n8n's own service for executions does, with the "currently saved workflow" where it was changed. */
	private async retryOf(data: IRunExecutionData, changed: INodeParameters): Promise<void> {
		this.run.parameters = { ...this.run.parameters, ...changed };
		delete data.resultData.error;
		const last = data.resultData.runData[data.resultData.lastNodeExecuted ?? ''];
		if (last?.at(-1)?.error) last.pop();
		const { Source: source = [], ...others } = data.resultData.runData;
		if (this.stepsBefore > 0) {
			const again = source.map((step) => ({ ...step, startTime: step.startTime + ++this.id }));
			// JavaScript puts a name that is a number before all others.
			data.resultData.runData = { '2': again, Source: source, ...others };
		}
		const workflow = buildWorkflow(this.run);
		for (const entry of data.executionData?.nodeExecutionStack ?? []) {
			entry.node = workflow.getNode(entry.node.name) ?? entry.node;
		}
		// Each retry is an execution of its own.
		const more = additionalData({ ...this.run, executionId: String(++this.id) });
		more.currentNodeExecutionIndex = this.stepsBefore;
		const retry = new WorkflowExecute(more, 'retry', data);
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

const ITEMS = 20;
const REFUSED = 12;
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
		expect(execution.result.data.executionData?.contextData['node:Node']).toEqual({});
	});

	test('does not send what is in doubt, however often it is retried', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		for (let retries = 0; retries < 2; retries++) {
			await execution.retry();
			expect(execution.result.error?.message).toMatch(/not sent again/);
			expect(execution.result.error?.description).toMatch(/reported a server error/);
		}
		const sent = service.received().map((request) => write.itemOf(request));
		expect(sent).toHaveLength(new Set(sent).size);
	});
});

describe.each<Saved>(['at the beginning', 'after each node', 'at a Wait node'])(
	'of an execution whose data were saved %s',
	(saved) => {
		test.each(writes)(
			'$operation is not sent again after n8n was killed, also by the retry of one that ended early',
			async (write) => {
				const { service, execution } = await failing(write, answer(400, REFUSED));
				execution.cutOff(saved);
				const requests = service.received().length;
				const fails = { timeout: '={{ $itemIndex === 1 ? "soon" : 1000 }}' };
				await execution.retryFirst({ options: fails });
				expect(execution.result.error?.message).toContain('Timeout');
				await execution.retry({ options: {} });
				expect(execution.result.error?.message).toMatch(/not sent again/);
				expect(service.received()).toHaveLength(requests);
			},
		);
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
		expect(execution.result.hints).toEqual([expect.stringContaining('Another retry')]);

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

	test('in doubt are sent again when that is wanted', async () => {
		const { service, execution } = await failing(write, answer(500, REFUSED));
		await execution.retry({ options: { sendAgain: 'unknown' } });
		expect(execution.result.error).toBeUndefined();
		expect(accepted(service, write)).toEqual(everyItemOnce);
		expect(execution.result.hints).toEqual([
			expect.stringMatching(/^"Send Again" is "Unknown"\. Set it back/),
		]);
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
		// Those that were sent before come out as they did then.
		expect(execution.result.json.map(({ webhookBody }) => webhookBody)).toMatchObject(items);
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
		execution.failEarlier();
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

	test('are not sent again if Send Once was off when n8n was killed', async () => {
		const service = await start({ faults: [answer(400, REFUSED)] });
		const execution = await Execution.begin(service, write, items, IN_TURN);
		execution.cutOff('at the beginning');
		const sent = service.received().length;
		for (let retries = 0; retries < 2; retries++) {
			await execution.retryFirst({ sendOnce: 'phone' });
			expect(service.received()).toHaveLength(sent);
		}
		expect(execution.result.json.map(({ outcome }) => outcome)).toContain('unknown');
	});

	test('of "Everybody of This Run" are not sent again after n8n was killed, also by a second retry', async () => {
		const service = await start({ faults: [answer(400, REFUSED)] });
		const options = { sendAgain: 'everybody' };
		const parameters = { ...write.parameters, sendOnce: 'phone', options };
		const execution = await Execution.begin(service, { ...write, parameters }, items, IN_TURN);
		execution.cutOff('at the beginning');
		await execution.retryFirst({ options: { ...options, timeout: 'soon' } });
		expect(execution.result.error?.message).toContain('Timeout');
		await execution.retry({ options });
		expect(numbers(service)).toEqual(everyItemOnce);
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
