import type { INodeParameters } from 'n8n-workflow';

import type { BodyOf, OperationId, PathOf, QueryOf } from './service/contract.ts';
import { inboxId, seeded } from './service/identifiers.ts';
import type { Team } from './service/store.ts';

/** What tests have to know of an operation of the action node. */
interface Row {
	/**
	 * `reads` may run on anyone's data. `writes` changes something. `consumes` uses something up, but is requested like
	 * a read. What writes or consumes is not repeated when nobody knows what became of it.
	 */
	effect: 'reads' | 'consumes' | 'writes';
	/** Only what has to be set. */
	minimal: INodeParameters;
	/** All that the operation can send. */
	full: INodeParameters;
	/** For input items `{ n: 0 }`, `{ n: 1 }` and so on, each of which gives one item. */
	perItem: INodeParameters;
	/** With these the item with `n: 1` fails; a fault of the service unless given. */
	secondFails?: INodeParameters;
	/** For lists as long as the stand-in is told: a team's objects in the order of the service. */
	list?: (team: Team) => Array<{ id?: unknown }>;
}

/** A write says which field of its body carries `n`. */
type Effect = { effect: 'writes'; numberedField: string } | { effect: 'reads' | 'consumes' };

/** An operation that is an endpoint of the interface, with a valid request to it. */
type Endpoint<Id extends OperationId> = Row &
	Effect & { request: { path?: PathOf<Id>; query?: QueryOf<Id>; body?: BodyOf<Id> } };

const [webhookId = ''] = seeded.demo.webhookIds;
const [{ id: agentId, versionIds } = { id: '', versionIds: [] }] = seeded.demo.agents;
const [versionId = ''] = versionIds;

/** Identifiers of the demo team. */
export const known = { webhookId, agentId, versionId, versionIds };

/** A resource locator in the mode "By ID". */
export function byId(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

const webhook = { webhook: byId(webhookId) };
const version = { agentId, versionId };
const allPages: INodeParameters = { returnAll: true, options: { timeout: 5_000 } };
const template = { templateId: byId('10001'), options: { missingValues: 'leave' } };
const fromInput = { mappingMode: 'autoMapInputData', value: null };

const endpoints: { [Id in OperationId]: Endpoint<Id> } = {
	'inbox.createExternal': {
		effect: 'writes',
		minimal: { name: 'A' },
		full: { name: 'Website chat' },
		perItem: { name: '={{ "Inbox " + $json.n }}' },
		numberedField: 'name',
		request: { body: { name: 'Web chat' } },
	},
	'inbox.getAll': {
		effect: 'reads',
		minimal: {},
		full: { ...allPages, filters: { phone: '+15555550107' } },
		perItem: { limit: 1 },
		secondFails: { limit: '={{ $json.n === 1 ? -1 : 1 }}' },
		list: ({ inboxes }) => inboxes,
		request: { query: { limit: 50 } },
	},
	'message.getAll': {
		effect: 'reads',
		minimal: {},
		full: {
			...allPages,
			simple: false,
			filters: {
				inboxIds: [0, 1, 2, 3, 4, 5, 6, 7].map((index) => byId(inboxId(1, index))),
				after: '2000-01-01T08:00:00',
				before: '2100-01-01',
			},
		},
		// Items with dates within the same hour share a reading.
		perItem: {
			limit: 1,
			filters: { after: '={{ DateTime.fromMillis($json.n * 3_600_000).toISO() }}' },
		},
		list: ({ messages }) => messages.map(({ message }) => message).reverse(),
		request: { query: { limit: 50 } },
	},
	'messageTemplate.getAll': {
		effect: 'reads',
		minimal: { limit: 1 },
		full: allPages,
		perItem: { limit: 1 },
		secondFails: { limit: '={{ $json.n === 1 ? -1 : 1 }}' },
		list: ({ templates }) => templates,
		request: { query: { limit: 50 } },
	},
	'oneTimePassword.verify': {
		effect: 'consumes',
		minimal: { token: 'a' },
		full: { token: 'otp-demo-111111 & more' },
		perItem: { token: '={{ "otp-" + $json.n }}' },
		request: { query: { token: seeded.otpTokens.invalid } },
	},
	'agent.start': {
		effect: 'writes',
		minimal: { ...webhook, phone: '+15555550142' },
		full: {
			...webhook,
			phone: '+1 (555) 555-0142',
			payloadMode: 'json',
			payloadJson: '{ "lead": { "id": 7, "tags": ["new"] } }',
			options: { outboundDial: true, requestsPerMinute: 500, retryUnknown: true },
		},
		perItem: {
			...webhook,
			phone: '={{ "+15555550" + (100 + $json.n) }}',
			payloadMode: 'input',
		},
		numberedField: 'n',
		request: {
			path: { webhookId },
			body: { phone: '+15555550142', outboundDial: false, lead: { id: 7 } },
		},
	},
	'agentVersion.create': {
		effect: 'writes',
		minimal: { agentId, schema: '{"nodes": []}' },
		full: {
			agentId,
			schema: '{ "nodes": [] }',
			additionalFields: { versionName: 'Autumn', parentVersionId: versionId, newBranch: true },
		},
		perItem: {
			agentId,
			schema: '{"nodes": []}',
			additionalFields: { versionName: '={{ "Version " + $json.n }}' },
		},
		numberedField: 'versionName',
		request: { path: { pipelineId: agentId }, body: { schema: { nodes: [] } } },
	},
	'agentVersion.rename': {
		effect: 'writes',
		minimal: { ...version, name: 'A' },
		full: { ...version, name: 'Autumn' },
		perItem: { ...version, name: '={{ "Version " + $json.n }}' },
		numberedField: 'name',
		request: { path: { pipelineId: agentId, versionId }, body: { name: 'Renamed' } },
	},
	'user.create': {
		effect: 'writes',
		minimal: { email: 'ada@example.com' },
		full: { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' },
		perItem: { email: '={{ "user" + $json.n + "@example.com" }}' },
		numberedField: 'email',
		request: { body: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Byron' } },
	},
};

/** A reply that came long ago, so that nobody has to wait for it: the oldest inbound message that is seeded. */
const repliedBefore = '+15555550137';
const reply = { phone: repliedBefore, after: '2000-01-01T08:00:00', waitMinutes: 1 };

/** What the node offers beyond the interface, made of endpoints. */
const beyond = {
	'message.waitForReply': {
		effect: 'reads',
		minimal: reply,
		full: { ...reply, options: { defaultCountryCode: '1', timeout: 5_000 } },
		perItem: reply,
		// The messages are read for all items together, so a fault would fail all of them.
		secondFails: { ...reply, phone: `={{ $json.n === 1 ? "none" : "${repliedBefore}" }}` },
	},
	'messageTemplate.fillIn': {
		effect: 'reads',
		minimal: { templateId: byId('10001') },
		full: { ...template, values: { mappingMode: 'defineBelow', value: { firstName: 'Ada' } } },
		perItem: { ...template, values: fromInput },
		// The templates are read once, so a fault would fail all items.
		secondFails: {
			...template,
			templateId: byId('={{ $json.n === 1 ? "4711" : "10001" }}'),
			values: fromInput,
		},
	},
} satisfies Record<string, Row & Effect>;

/** An operation of the action node, as `resource.operation`: those of openapi.yaml and those beyond. */
export type NodeOperation = OperationId | keyof typeof beyond;

/**
 * The one table of operations. Tests take theirs from it, so that nothing else has to be touched for a new endpoint.
 */
export const nodeOperations: { [Id in OperationId]: Endpoint<Id> } & {
	[Id in keyof typeof beyond]: Row & Effect;
} = { ...endpoints, ...beyond };

/** All keys of the table. */
export const operationIds = Object.keys(nodeOperations).filter(isNodeOperation);

function isNodeOperation(id: string): id is NodeOperation {
	return Object.hasOwn(nodeOperations, id);
}
