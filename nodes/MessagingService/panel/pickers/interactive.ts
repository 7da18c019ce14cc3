import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { type Client, DEFAULT_TRANSPORT } from '../../api/client';
import { connect } from '../../connection';
import { withNodeErrors } from '../../nodeError';

/** Someone is waiting in the editor, so it gives up sooner than a workflow does. */
const INTERACTIVE = { ...DEFAULT_TRANSPORT, maxRetries: 1 };
const LONGEST_WAIT = 12_000;

/** Asks the service for someone who waits in the editor. */
export async function askForEditor<Answer>(
	context: ILoadOptionsFunctions,
	ask: (client: Client) => Promise<Answer>,
): Promise<Answer> {
	return await withNodeErrors(context.getNode(), async () => {
		const client = await connect(context);
		return await ask(client.with(INTERACTIVE).within(LONGEST_WAIT));
	});
}
