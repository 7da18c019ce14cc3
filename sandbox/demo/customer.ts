import type { RestClient } from '../n8n/rest.ts';
import { chain, type StoredWorkflow, type WorkflowDefinition } from '../n8n/workflows.ts';
import { controlPath, type Service } from '../service/service.ts';

type Origin = Pick<Service, 'origin'>;

const WRITING = 'Write it';

const messagesUrl = ({ origin }: Origin) => `${origin}${controlPath}messages`;

/** A workflow by which visitors of the demo write a message to its team, to see what that starts. */
export function customerWorkflow(service: Origin, message: string): WorkflowDefinition {
	const assignments = [
		{ id: 'phone', name: 'phone', type: 'string', value: '+15555550199' },
		{ id: 'body', name: 'body', type: 'string', value: message },
	];
	return chain('A customer writes (demo only)', [
		{ name: 'Start by hand', type: 'n8n-nodes-base.manualTrigger' },
		{
			name: 'What they write',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { assignments: { assignments }, options: {} },
		},
		{
			name: WRITING,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: messagesUrl(service),
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ $json }}',
				options: {},
			},
		},
	]);
}

/** Has that workflow write to the stand-in where it is now: after a restart its port may be another one. */
export async function redirectCustomer(
	rest: RestClient,
	id: string,
	service: Origin,
): Promise<void> {
	const path = `/rest/workflows/${id}`;
	const { nodes, connections, versionId } = await rest.get<StoredWorkflow>(path);
	const redirected = nodes.map((node) =>
		node.name === WRITING
			? { ...node, parameters: { ...node.parameters, url: messagesUrl(service) } }
			: node,
	);
	await rest.patch(path, { nodes: redirected, connections, versionId });
}
