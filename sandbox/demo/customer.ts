import { chain, type WorkflowDefinition } from '../n8n/workflows.ts';
import { controlPath } from '../service/control.ts';
import type { Service } from '../service/service.ts';

/** A workflow by which visitors of the demo write a message to its team, to see what that starts. */
export function customerWorkflow(
	{ origin }: Pick<Service, 'origin'>,
	message: string,
): WorkflowDefinition {
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
			name: 'Write it',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${origin}${controlPath}messages`,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ $json }}',
				options: {},
			},
		},
	]);
}
