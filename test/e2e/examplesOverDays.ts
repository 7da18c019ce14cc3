/** What the examples promise in their notes, over simulated days, in a real n8n against the stand-in. */
import type { IConnections, INode } from 'n8n-workflow';

import { startAll } from '../../sandbox/demo/demo.ts';
import { readExamples, type Example } from '../../sandbox/demo/examples.ts';
import { enterAddresses, eventTriggerOf } from '../../sandbox/demo/listening.ts';
import { parseOptions } from '../../sandbox/demo/options.ts';
import { startScriptedModel, type ScriptedModel } from '../../sandbox/model/scriptedModel.ts';
import {
	createCredential,
	CREDENTIAL_TYPE,
	type CredentialReference,
} from '../../sandbox/n8n/credentials.ts';
import { DataTables, type DataRow } from '../../sandbox/n8n/dataTables.ts';
import {
	outputOf,
	runManually,
	startManually,
	waitForExecution,
	type Execution,
} from '../../sandbox/n8n/executions.ts';
import { Flow } from '../../sandbox/n8n/flow.ts';
import { START_TIMEOUT_MS } from '../../sandbox/n8n/process.ts';
import { FRUGAL } from '../../sandbox/n8n/sandbox.ts';
import { until } from '../../sandbox/n8n/until.ts';
import { bindCredential, createWorkflow } from '../../sandbox/n8n/workflows.ts';
import { seeded, type Service } from '../../sandbox/service/service.ts';

jest.setTimeout(START_TIMEOUT_MS);

const HOUR_MS = 3_600_000;
const BY_HAND = 'Start by hand';
/** Moments in rows and messages, as ISO 8601. */
const MOMENT = /^\d{4}-\d\d-\d\dT/;
/** Moments of a row that only n8n sets. */
const BY_N8N = new Set(['createdAt', 'updatedAt']);
const TABLES = ['opt_outs', 'texted_leads', 'texts_to_send', 'customer_messages'];

let examples: Example[];
export let running: Awaited<ReturnType<typeof startAll>>;
export let service: Service;
let tables: DataTables;

beforeAll(async () => {
	examples = await readExamples();
	const options = { ...parseOptions([], {}), port: 0, servicePort: 0 };
	running = await startAll(options, { env: FRUGAL });
	if (!running.service.standIn) throw new Error('There is no stand-in');
	service = running.service.standIn;
	tables = new DataTables(running.n8n.rest);
	await service.configure({ events: { duplicates: 1 } });
});

afterAll(() => running?.stop());

const active: Flow[] = [];

beforeEach(async () => {
	await service.reset('log', 'data');
	messagesOf().length = 0;
	await tables.clear();
	await run(await store('keep-the-opt-outs'));
});

afterEach(async () => {
	for (const flow of active.splice(0)) await flow.deactivate();
	await service.configure({ faults: [], events: { subscriptions: [] } });
});

const exampleIn = (file: string) => {
	const found = examples.find((example) => example.file === `${file}.json`);
	if (!found) throw new Error(`There is no example ${file}`);
	return found.workflow;
};

/** Stores a new copy of an example, which remembers nothing of the others. */
export async function store(
	file: string,
	change: (node: INode) => INode = (node) => node,
): Promise<Flow> {
	const workflow = bindCredential(exampleIn(file), CREDENTIAL_TYPE, running.credential);
	const nodes = workflow.nodes.map(change);
	return new Flow(running.n8n, await createWorkflow(running.n8n.rest, { ...workflow, nodes }));
}

/** Stores an example and publishes it, with its address at the stand-in. */
async function listen(file: string): Promise<Flow> {
	const flow = await store(file);
	const trigger = eventTriggerOf(flow.workflow);
	if (!trigger) throw new Error(`${file} waits for no event`);
	await enterAddresses(running.n8n, service, [trigger]);
	await flow.activate();
	active.push(flow);
	return flow;
}

async function run(flow: Flow, trigger = BY_HAND): Promise<Execution> {
	const execution = await runManually(running.n8n.rest, flow.workflow, trigger);
	expect([execution.error?.message, execution.status]).toEqual([undefined, 'success']);
	return execution;
}

/** Runs a workflow twice at the same time. */
async function runTwice(flow: Flow): Promise<void> {
	const { rest } = running.n8n;
	const ids = await Promise.all([1, 2].map(() => startManually(rest, flow.workflow, BY_HAND)));
	for (const id of ids) expect((await waitForExecution(rest, id)).status).toBe('success');
}

/** What contacts write starts the active workflow, once for each message although all events come twice. */
async function write(flow: Flow, messages: Array<[phone: string, body: string]>): Promise<void> {
	for (const [phone, body] of messages) service.receiveMessage({ phone, body });
	await ended(flow, messages.length);
}

async function ended(flow: Flow, count: number): Promise<void> {
	await service.deliveriesSettled();
	for (const { status } of await flow.ran(count)) expect(status).toBe('success');
}

const messagesOf = () =>
	service.teams().find(({ apiKey }) => apiKey === seeded.demo.apiKey)?.messages ?? [];

/** Lets hours pass for the tables and the messages, by dating back all that is there. */
async function letPass(hours: number): Promise<void> {
	const earlier = (moment: string) => new Date(Date.parse(moment) - hours * HOUR_MS).toISOString();
	for (const stored of messagesOf()) {
		stored.at -= hours * HOUR_MS;
		const date = new Date(stored.at).toISOString();
		Object.assign(stored.message, { created: date, timestamp: date });
	}
	for (const table of TABLES) {
		for (const { id = null, ...columns } of await tables.rows(table)) {
			const moments = Object.entries(columns).flatMap(([name, value]) =>
				typeof value === 'string' && MOMENT.test(value) && !BY_N8N.has(name)
					? [[name, earlier(value)]]
					: [],
			);
			if (moments.length > 0) await tables.change(table, id, Object.fromEntries(moments));
		}
	}
}

const texted = () => service.accepted().map(({ body }) => body.phone);
const phonesIn = async (table: string) => (await tables.rows(table)).map(({ phone }) => phone);
const rowOf = async (table: string, phone: string): Promise<DataRow> => {
	const found = (await tables.rows(table)).find((row) => row.phone === phone);
	if (!found) throw new Error(`${phone} is not in ${table}`);
	return found;
};

/** Writes STOP for people who then are in the table. */
async function optOut(...phones: string[]): Promise<void> {
	for (const phone of phones) service.receiveMessage({ phone, body: 'STOP' });
	await run(await store('keep-the-opt-outs'));
}

const isSend = ({ type, parameters }: INode) =>
	type.startsWith('n8n-nodes-messaging-service.') && parameters.operation === 'invokeWebhook';

const isTool = ({ type }: INode) => type.endsWith('Tool');

const isOptOutCheck = ({ type, parameters, name }: INode) =>
	type === 'n8n-nodes-base.dataTable' &&
	parameters.operation === 'rowNotExists' &&
	name === 'Not opted out';

/** The names of all nodes that are reached from a trigger without passing a node that fits. */
function reachedWithout(
	nodes: INode[],
	connections: IConnections,
	fits: (node: INode) => boolean,
): Set<string> {
	const byName = new Map(nodes.map((node) => [node.name, node]));
	const targets = new Set(
		Object.values(connections)
			.flatMap((outputs) => Object.values(outputs).flat())
			.flatMap((output) => output ?? [])
			.map(({ node }) => node),
	);
	const reached = new Set<string>();
	const visit = (name: string) => {
		const node = byName.get(name);
		if (node === undefined || reached.has(name) || fits(node)) return;
		reached.add(name);
		for (const output of Object.values(connections[name] ?? {}).flat()) {
			for (const { node: next } of output ?? []) visit(next);
		}
	};
	for (const { name } of nodes) if (!targets.has(name)) visit(name);
	return reached;
}

describe('Single examples', () => {
	it('"Text a whole list" texts everybody once, over two runs', async () => {
		const flow = await store('text-a-whole-list-once');
		const [first, second] = [await run(flow), await run(flow)].map((execution) => ({
			now: outputOf(execution, 'Texted now').length,
			before: outputOf(execution, 'Texted before').length,
			failed: outputOf(execution, 'Not texted').map(({ json }) => json.reason),
		}));
		const failed = ['No number with country code'];

		expect(first).toEqual({ now: 3, before: 1, failed });
		expect(second).toEqual({ now: 0, before: 4, failed });
		expect(texted()).toEqual(['+15555550110', '+15555550111', '+15555550112']);
	});

	it('"Text every new lead" tries a lead again whose call failed, and no other one', async () => {
		const flow = await store('text-every-new-lead');
		const requests = { exactly: 2 };
		await service.configure({
			faults: [{ kind: 'status', status: 400, operations: ['pipeline.invokeWebhook'], requests }],
		});
		await run(flow);
		expect(texted()).toHaveLength(2);
		await run(flow);
		expect(texted().sort()).toEqual(['+15555550100', '+15555550101', '+15555550102']);
	});

	it('"Route inbound messages" sends each message where it belongs, and none of who has opted out to an agent', async () => {
		await optOut('+15555550100');
		const flow = await listen('route-inbound-messages');
		const bodies = [
			'An appointment, please',
			'Can I talk to a person, please?',
			'I would like an appointment on Thursday.',
			'What are your opening hours?',
			'STOP',
		];
		bodies.forEach((body, index) => service.receiveMessage({ phone: `+1555555010${index}`, body }));
		await service.deliveriesSettled();
		const runs = await flow.ran(bodies.length);
		const textsIn = (node: string) =>
			runs.flatMap((each) => outputOf(each, node)).map(({ json }) => json.text);
		const [general, booking] = seeded.demo.webhookIds;

		expect(textsIn('Messages for a colleague').sort()).toEqual(bodies.slice(0, 2));
		expect(
			new Map(service.accepted().map(({ webhookId, body }) => [body.text, webhookId])),
		).toEqual(
			new Map([
				[bodies[2], booking],
				[bodies[3], general],
			]),
		);
	});
});

describe('Opt-outs', () => {
	it('are looked up before every text in every example', () => {
		const sending = examples.filter(({ workflow }) => workflow.nodes.some(isSend));
		expect(sending.length).toBeGreaterThan(6);
		for (const { file, workflow } of sending) {
			const { nodes, connections } = workflow;
			const unchecked = reachedWithout(nodes, connections, isOptOutCheck);
			// A tool is called by the model, and tested below.
			const sends = nodes.filter((node) => isSend(node) && !isTool(node)).map(({ name }) => name);
			expect([file, sends.filter((name) => unchecked.has(name))]).toEqual([file, []]);
		}
	});

	it('are noted by any way of writing STOP, and by nothing else', async () => {
		const stops = ['STOP', ' Stop. ', 'UNSUBSCRIBE!', '"cancel"', 'S T O P', 'Revoke', 'OPTOUT'];
		const others = ['Please stop texting me', 'The end of the story', 'START', ''];
		const all = [...stops, ...others].map((body, index): [string, string] => [
			`+1 (555) 555-01${String(index).padStart(2, '0')}`,
			body,
		]);
		const flow = await listen('keep-the-opt-outs');
		for (const [phone, body] of all) service.receiveMessage({ phone, body });
		await service.deliveriesSettled();
		const runs = await flow.ran(all.length);
		const perhaps = runs.flatMap((each) => outputOf(each, 'Perhaps an opt-out'));
		const noted = await phonesIn('opt_outs');

		expect(noted.map(String).sort()).toEqual(
			stops.map((_, index) => `+155555501${String(index).padStart(2, '0')}`),
		);
		expect(perhaps.map(({ json }) => json.text)).toEqual(['Please stop texting me']);
	});

	it('that got lost on their way are read from the messages, each once', async () => {
		const phone = '+15555550100';
		const flow = await store('keep-the-opt-outs');
		service.receiveMessage({ phone, body: 'Stop' });
		await letPass(20);
		await run(flow, 'Every hour');
		await run(flow, 'Every hour');
		const mine = async () => (await phonesIn('opt_outs')).filter((each) => each === phone);
		expect(await mine()).toEqual([phone]);

		service.receiveMessage({ phone, body: 'START' });
		await run(flow, 'Every hour');
		expect(await mine()).toEqual([]);
	});

	it('are left alone by every example, and texted again after START', async () => {
		const leads = ['00', '01', '02', '10', '11', '12', '20', '21', '22'];
		const phones = leads.map((digits) => `+155555501${digits}`);
		const files = ['text-every-new-lead', 'text-a-whole-list-once', 'keep-quiet-hours'];
		const day: (node: INode) => INode = (node) =>
			node.name === 'Leads' ? withTimeZones(node, [12, 12, 12]) : node;
		const flows = await Promise.all(files.map((file) => store(file, day)));
		await optOut(...phones);
		for (const flow of flows) await run(flow);
		expect(texted()).toEqual([]);
		expect(new Set((await tables.rows('texts_to_send')).map(({ result }) => result))).toEqual(
			new Set(['opted out']),
		);

		for (const phone of phones) service.receiveMessage({ phone, body: 'START' });
		await run(await store('keep-the-opt-outs'));
		for (const flow of flows.slice(0, 2)) await run(flow);
		expect(texted().sort()).toEqual(phones.slice(0, 6));
	});
});

describe('Opt-outs and an AI agent', () => {
	let model: ScriptedModel;
	let modelCredential: CredentialReference;

	beforeAll(async () => {
		model = await startScriptedModel();
		modelCredential = await createCredential(running.n8n.rest, {
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'not-needed', url: model.url },
		});
	});

	afterAll(() => model?.close());

	/** The example with the scripted model, to be started without a chat. */
	const withoutChat = (node: INode): INode => {
		const { name } = node;
		if (name === 'When you write in the chat') {
			return { ...node, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
		}
		if (name === 'AI Agent') {
			const parameters = { ...node.parameters, promptType: 'define', text: 'Do it.' };
			return { ...node, parameters };
		}
		if (name === 'AI model') return { ...node, credentials: { openAiApi: modelCredential } };
		return name === 'Memory' ? { ...node, disabled: true } : node;
	};

	it('are no match for a model that wants to text all the same', async () => {
		await optOut('+15555550100');
		const flow = await store('ai-agent-tool', withoutChat);
		const ask = async (Phone: string) => {
			model.follow({ tool: 'Start_an_agent', arguments: { Phone, Topic: 'the offer' } });
			await runManually(running.n8n.rest, flow.workflow, 'When you write in the chat');
			return model.toolAnswer();
		};
		await ask('+1 (555) 555-0100');
		await ask('001 555 555 0100');
		expect(texted()).toEqual([]);

		expect(await ask('+1 (555) 555-0101')).toContain('accepted');
		expect(texted()).toEqual(['+15555550101']);
	});
});

describe('Reminders', () => {
	const [alex, robin, sam] = ['+15555550100', '+15555550101', '+15555550102'];
	const reminders = () =>
		service
			.accepted()
			.flatMap(({ body }) => (body.reminder === undefined ? [] : [[body.phone, body.reminder]]));
	let flow: Flow;

	/** Three leads were texted some hours ago; the first of them wrote before that, which is no answer. */
	beforeEach(async () => {
		service.receiveMessage({ phone: alex, body: 'Hello?' });
		await letPass(3);
		await run(await store('text-every-new-lead'));
		await until('the agent has written', () => messagesOf().length === 4);
		flow = await store('remind-those-who-did-not-answer');
	});

	it('go out after a day, twice at most, and stop with an answer or an opt-out', async () => {
		await run(flow);
		expect(reminders()).toEqual([]);

		await letPass(20);
		await run(flow);
		expect(reminders()).toEqual([]);

		await letPass(5);
		await run(flow);
		await run(flow);
		const first = [alex, robin, sam].map((phone) => [phone, 1]);
		expect(reminders().sort()).toEqual(first);

		service.receiveMessage({ phone: alex, body: 'Yes, on Thursday' });
		await letPass(1);
		service.receiveMessage({ phone: alex, body: 'Or on Friday' });
		await optOut(robin);
		await letPass(25);
		await run(flow);
		expect(reminders().slice(3)).toEqual([[sam, 2]]);
		expect((await rowOf('texted_leads', alex)).answeredAt).not.toBeNull();

		for (let day = 0; day < 3; day++) {
			await letPass(25);
			await run(flow);
		}
		expect(reminders()).toHaveLength(4);
	});

	it('are not sent again by a second run at the same time, nor after a crash before they were counted', async () => {
		await letPass(25);
		await runTwice(flow);
		expect(reminders()).toHaveLength(3);
		const { id = null } = await rowOf('texted_leads', sam);
		expect((await rowOf('texted_leads', sam)).reminders).toBe(1);

		const before = new Date(Date.now() - 25 * HOUR_MS).toISOString();
		await tables.change('texted_leads', id, { reminders: 0, lastTextAt: before });
		await run(flow);
		expect(reminders()).toHaveLength(3);
		expect((await rowOf('texted_leads', sam)).reminders).toBe(1);
	});
});

/** A time zone where it is half past the given hour now. */
function zoneAt(hour: number): string {
	const now = new Date();
	const minutes = hour * 60 + 30 - (now.getUTCHours() * 60 + now.getUTCMinutes());
	const offset = ((minutes + 36 * 60) % (24 * 60)) - 12 * 60;
	const sign = offset < 0 ? '-' : '+';
	const size = Math.abs(offset);
	return `UTC${sign}${Math.floor(size / 60)}:${String(size % 60).padStart(2, '0')}`;
}

/** The leads +1 555 555 0120, 0121 … where it is now half past the given hours. */
function withTimeZones(node: INode, hours: number[]): INode {
	if (!String(node.parameters.jsonOutput).includes('timeZone')) return node;
	const leads = hours.map((hour, index) => ({
		firstName: `Lead ${index}`,
		phone: `+1 (555) 555-01${20 + index}`,
		timeZone: zoneAt(hour),
		topic: 'the spring offer',
	}));
	return { ...node, parameters: { ...node.parameters, jsonOutput: JSON.stringify({ leads }) } };
}

describe('Quiet hours', () => {
	it('hold a lead back by the clock where it lives, and let it go in the morning, once', async () => {
		const hours = [3, 8, 9, 12, 19, 20];
		const flow = await store('keep-quiet-hours', (node) =>
			node.name === 'Leads' ? withTimeZones(node, hours) : node,
		);
		const day = ['+15555550122', '+15555550123', '+15555550124'];
		await run(flow);
		await run(flow);
		expect(texted()).toEqual(day);
		expect((await rowOf('texts_to_send', '+15555550120')).result).toBeNull();

		// A new list in the morning, without the lead.
		const later = { ...flow.workflow, nodes: flow.workflow.nodes };
		for (const phone of ['+15555550120', '+15555550121']) {
			const { id = null } = await rowOf('texts_to_send', phone);
			await tables.change('texts_to_send', id, { timeZone: zoneAt(9) });
		}
		await running.n8n.rest.patch(`/rest/workflows/${later.id}`, {
			nodes: later.nodes.map((node) => (node.name === 'Leads' ? withTimeZones(node, []) : node)),
			connections: later.connections,
			versionId: later.versionId,
		});
		await runTwice(flow);
		await run(flow);
		expect(texted().slice(3).sort()).toEqual(['+15555550120', '+15555550121']);
		expect((await rowOf('texts_to_send', '+15555550120')).result).toMatch(/^texted/);
		expect((await rowOf('texts_to_send', '+15555550125')).result).toBeNull();
	});
});

describe('The daily report', () => {
	/** Puts a message of yesterday, by UTC, into the team's list. */
	function yesterday(hour: number, phone: string, more: object): void {
		const message = service.receiveMessage({ phone, body: 'Text' });
		const stored = messagesOf().at(-1);
		if (!message || !stored) throw new Error('There is no message');
		const midnight = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
		stored.at = midnight + (hour - 24) * HOUR_MS;
		const date = new Date(stored.at).toISOString();
		Object.assign(stored.message, { created: date, timestamp: date, ...more });
	}

	it('counts what was sent, delivered, failed and answered, and nothing of other days', async () => {
		const [alex, robin, sam] = ['+15555550100', '+15555550101', '+15555550102'];
		const sent = { inbound: false, status: 'delivered' };
		yesterday(-2, alex, sent);
		yesterday(8, robin, {});
		yesterday(9, alex, sent);
		yesterday(10, robin, sent);
		yesterday(11, robin, { ...sent, status: 'on_its_way' });
		yesterday(12, sam, { ...sent, status: 'failed', error: 'The carrier rejected the message.' });
		yesterday(13, sam, { ...sent, status: 'undeliverable' });
		yesterday(14, alex, {});
		yesterday(15, alex, {});
		yesterday(25, robin, {});

		const execution = await run(await store('daily-report'));
		const [report] = outputOf(execution, 'The report').map(({ json }) => json);
		expect(report).toMatchObject({
			sent: 5,
			delivered: 2,
			failed: 2,
			statuses: expect.stringContaining('on_its_way 1'),
			reasons: expect.stringContaining('The carrier rejected the message. 1'),
			texted: 3,
			answered: 1,
			received: 3,
		});
		expect(report?.text).toContain('People texted: 3, of whom 1 answered');
		expect(outputOf(execution, 'What did not arrive').map(({ json }) => json.reason)).toEqual(
			expect.arrayContaining(['The carrier rejected the message.', 'undeliverable']),
		);
	});
});

describe('Answers from a table', () => {
	const phone = '+15555550100';
	const table = 'customer_messages';
	const texts = () => service.accepted().map(({ body }) => body.text);
	let flow: Flow;

	const fillIn = async (columns: DataRow) => {
		const { id = null } = await rowOf(table, phone);
		await tables.change(table, id, columns);
	};

	beforeEach(async () => {
		flow = await listen('answer-from-a-table');
		await write(flow, [
			[phone, 'Do you have time on Thursday?'],
			['+15555550101', 'STOP'],
		]);
	});

	it('are sent when a colleague says so, once', async () => {
		expect(await tables.rows(table)).toEqual([
			expect.objectContaining({ phone, text: 'Do you have time on Thursday?', answer: null }),
		]);
		await fillIn({ answer: 'Yes, at 10.' });
		await run(flow);
		expect(texts()).toEqual([]);

		await fillIn({ send: true });
		await runTwice(flow);
		await run(flow, 'Every five minutes');
		expect(texts()).toEqual(['Yes, at 10.']);
		expect(await rowOf(table, phone)).toMatchObject({ result: 'sent' });

		// As after a crash before the result was noted.
		await fillIn({ result: null, doneAt: null, answer: 'Yes, at 11.' });
		await run(flow);
		expect(texts()).toEqual(['Yes, at 10.']);
		expect(await rowOf(table, phone)).toMatchObject({ result: 'sent' });
	});
});
