import { setTimeout as sleep } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';

import type { N8n } from '../n8n/index.ts';
import { PACKAGE_NAME } from '../n8n/paths.ts';
import {
	activateWorkflow,
	deactivateWorkflow,
	type StoredWorkflow,
	type WorkflowDefinition,
} from '../n8n/workflows.ts';
import type { Service } from '../service/service.ts';

const TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServiceTrigger`;

const POLL_MS = 50;
const LONGEST_REGISTRATION_MS = 30_000;

/** The trigger of a workflow that waits for events of the service. */
export function eventTriggerOf({ nodes }: Pick<WorkflowDefinition, 'nodes'>): INode | undefined {
	return nodes.find(({ type, disabled }) => type === TRIGGER_TYPE && !disabled);
}

/** Where a trigger listens while its workflow is active. */
export function productionUrl({ url }: Pick<N8n, 'url'>, { webhookId }: INode): string {
	return `${url}/webhook/${webhookId}/webhook`;
}

/** Waits until n8n listens at a POST webhook, which it does some time after the activation. */
export async function untilListening(url: string, signal?: AbortSignal): Promise<void> {
	const late = AbortSignal.timeout(LONGEST_REGISTRATION_MS);
	const either = signal ? AbortSignal.any([signal, late]) : late;
	for (;;) {
		// Asked wrongly, n8n knows better.
		const answer = await (await fetch(url, { method: 'GET', signal: either })).text();
		if (answer.includes('not registered for GET')) return;
		await sleep(POLL_MS, undefined, { signal: either });
	}
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

/** Activates a workflow and waits until the events reach it. */
export async function startListening(
	n8n: Pick<N8n, 'url' | 'rest'>,
	workflow: Pick<StoredWorkflow, 'id' | 'versionId' | 'nodes'>,
	signal?: AbortSignal,
): Promise<void> {
	await activateWorkflow(n8n.rest, workflow);
	const trigger = eventTriggerOf(workflow);
	if (trigger) await untilListening(productionUrl(n8n, trigger), signal);
}

/** Registers an active workflow once more: n8n does not do so by itself, and the stand-in has forgotten it. */
export async function listenAgain(
	n8n: Pick<N8n, 'url' | 'rest'>,
	id: string,
	signal?: AbortSignal,
): Promise<void> {
	const workflow = await n8n.rest.get<StoredWorkflow & { activeVersionId: string | null }>(
		`/rest/workflows/${id}`,
	);
	if (workflow.activeVersionId === null) return;
	await deactivateWorkflow(n8n.rest, id);
	await startListening(n8n, { ...workflow, versionId: workflow.activeVersionId }, signal);
}
