import type { INode } from 'n8n-workflow';

import type { N8n } from '../n8n/index.ts';
import { TRIGGER_TYPE } from '../n8n/nodeTypes.ts';
import type { RestClient } from '../n8n/rest.ts';
import { until } from '../n8n/until.ts';
import { activateWorkflow, deactivateWorkflow, type WorkflowDefinition } from '../n8n/workflows.ts';
import type { Service } from '../service/service.ts';

const LONGEST_REGISTRATION_MS = 30_000;

/** The trigger of a workflow that waits for events of the service. */
export function eventTriggerOf({ nodes }: Pick<WorkflowDefinition, 'nodes'>): INode | undefined {
	return nodes.find(({ type, disabled }) => type === TRIGGER_TYPE && !disabled);
}

/** Where a trigger listens while its workflow is active. */
function productionUrl({ url }: Pick<N8n, 'url'>, { webhookId }: INode): string {
	return `${url}/webhook/${webhookId}/webhook`;
}

/** Waits until n8n listens at a POST webhook, which it does some time after the activation. */
export async function untilListening(url: string, signal?: AbortSignal): Promise<void> {
	const listens = async () => {
		// Asked wrongly, n8n knows better.
		const answer = await (await fetch(url, { method: 'GET', signal })).text();
		return answer.includes('not registered for GET');
	};
	await until(`n8n listens at ${url}`, listens, { timeoutMs: LONGEST_REGISTRATION_MS, signal });
}

/**
 * Enters the addresses of triggers at the stand-in, in place of those entered before. That is what users do
 * themselves, unless the trigger's registration is automatic.
 */
export async function enterAddresses(
	n8n: Pick<N8n, 'url'>,
	service: Service,
	triggers: INode[],
): Promise<void> {
	const subscriptions = triggers
		.filter(({ parameters }) => parameters.registration !== 'automatic')
		.map((trigger) => ({
			url: productionUrl(n8n, trigger),
			events: [trigger.parameters.events ?? []].flat().map(String),
		}));
	await service.configure({ events: { subscriptions } });
}

/** Registers an active workflow once more: n8n does not do so by itself, and the stand-in has forgotten it. */
export async function listenAgain(rest: RestClient, id: string): Promise<void> {
	const workflow = await rest.get<{ activeVersionId: string | null }>(`/rest/workflows/${id}`);
	if (workflow.activeVersionId === null) return;
	await deactivateWorkflow(rest, id);
	await activateWorkflow(rest, { id, versionId: workflow.activeVersionId });
}
