import { CREDENTIAL_TYPE, type CredentialReference } from '../n8n/credentials.ts';
import { runManually } from '../n8n/executions.ts';
import type { N8n } from '../n8n/index.ts';
import {
	activateWorkflow,
	bindCredential,
	createWorkflow,
	listWorkflows,
} from '../n8n/workflows.ts';
import type { Service } from '../service/service.ts';
import { ANSWERING } from './conversations.ts';
import { customerWorkflow, redirectCustomer } from './customer.ts';
import { MAKES_TABLES, type Example } from './examples.ts';
import { enterAddresses, eventTriggerOf, listenAgain } from './listening.ts';

const [FIRST_MESSAGE = ''] = ANSWERING.messages;

export interface ImportOptions {
	n8n: Pick<N8n, 'url' | 'rest'>;
	credential: CredentialReference;
	/** The stand-in, whose events start examples. */
	standIn?: Service;
	signal: AbortSignal;
}

/**
 * Imports the examples that are not there yet; what a user made of the others stays. With the stand-in, those
 * that answer messages are active, and a customer has written.
 */
export async function importExamples(
	examples: Example[],
	{ n8n, credential, standIn, signal }: ImportOptions,
): Promise<void> {
	const { rest } = n8n;
	const present = new Map((await listWorkflows(rest)).map(({ name, id }) => [name, id]));
	const isAnswering = ({ file }: Example) => standIn !== undefined && file in ANSWERING.starts;
	const answering = examples.filter(isAnswering).map(({ workflow }) => workflow);
	if (standIn) {
		const triggers = answering.flatMap((workflow) => eventTriggerOf(workflow) ?? []);
		await enterAddresses(n8n, standIn, triggers);
		const customer = customerWorkflow(standIn, FIRST_MESSAGE);
		const id = present.get(customer.name);
		if (id === undefined) await createWorkflow(rest, customer);
		else await redirectCustomer(rest, id, standIn);
	}
	for (const example of examples) {
		const { name } = example.workflow;
		const id = present.get(name);
		if (id === undefined) {
			const bound = bindCredential(example.workflow, CREDENTIAL_TYPE, credential);
			const workflow = await createWorkflow(rest, bound);
			if (isAnswering(example)) await activateWorkflow(rest, workflow);
			if (standIn && example.file === MAKES_TABLES) {
				await runManually(rest, workflow, 'Start by hand');
			}
		} else if (isAnswering(example)) {
			await listenAgain(rest, id).catch((error: unknown) => {
				signal.throwIfAborted();
				console.log(`"${name}" could not be activated again: ${String(error)}`);
			});
		}
	}
	if (answering.some(({ name }) => !present.has(name))) {
		standIn?.receiveMessage({ body: FIRST_MESSAGE });
	}
}
