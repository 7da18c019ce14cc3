import { startN8n, type N8nOptions } from '../n8n/index.ts';
import { startConnected, type Sandbox } from '../n8n/sandbox.ts';
import { SECRET_HEADER } from '../service/events/outbox.ts';
import { seeded, startService } from '../service/service.ts';
import { importExamples } from './examples.ts';

/** What the stand-in sends with its events, and the trigger asks for. */
const WEBHOOK_SECRET = 'demo-webhook-secret';

interface DemoOptions extends N8nOptions {
	/** The port of the stand-in; any free one unless given. */
	servicePort?: number;
}

/** Starts the stand-in, and n8n with the examples; the caller decides when it stops. */
export async function startDemo({ servicePort, ...n8n }: DemoOptions = {}): Promise<Sandbox> {
	const demo = await startConnected(
		() => startService({ port: servicePort, events: { signing: { kind: 'sharedSecret' } } }),
		() => startN8n(n8n),
		{ name: 'Messaging Service (stand-in)', data: { webhookSecret: WEBHOOK_SECRET } },
	);
	try {
		await importExamples(demo);
		return demo;
	} catch (error) {
		await demo.stop();
		throw error;
	}
}

/** An event as the stand-in sends it. */
const EVENT = JSON.stringify({
	id: 'event-1',
	event: 'message.received',
	data: { inbound: true, sender: '+15555550142', body: 'Are you open on Monday?' },
});

/**
 * Where all is, how to log in, and what to try.
 *
 * @param log the file with n8n's log
 */
export function describeDemo({ n8n, service, credential }: Sandbox, log: string): string {
	return `
  n8n           ${n8n.url}
    email       ${n8n.owner.email}
    password    ${n8n.owner.password}
    log         ${log}
  service       ${service.url}  (a stand-in, with invented data)
  credential    ${credential.name}
    API key     ${seeded.demo.apiKey}
    secret      ${WEBHOOK_SECRET}  (Webhook Secret)
  agent         ${service.url}/public/pipelines/webhook/${seeded.demo.webhookIds[0]}

  Begin with the workflow "Begin here", on top of the list: open it and click "Execute workflow".
  For a first text of your own, paste the address of the agent as "Agent Webhook".
  A contact has written: see the executions of "Answer inbound messages". To write again:
    curl -X POST ${service.origin}/__control/messages
  To send an event to a trigger of your own, with its Test URL, and another id each time:
    curl TEST_URL -H '${SECRET_HEADER}: ${WEBHOOK_SECRET}' -H 'content-type: application/json' \\
      -d '${EVENT}'

  Your changes stay until  npm start -- --fresh
  Stop with Ctrl-C.
`;
}
