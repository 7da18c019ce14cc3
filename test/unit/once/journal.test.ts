import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Journal, outcomeOf } from '../../../nodes/MessagingService/once/journal';
import { failureOf } from '../helpers/api';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

/** An AI agent's execution, in which a model calls the tool with the same arguments again and again. */
function toolOf(send: () => Promise<IDataObject>) {
	const data: IDataObject = {};
	const node = nodeWith();
	const context = fake<IExecuteFunctions>({
		getNode: () => ({ ...node, type: `${node.type}Tool` }),
		getMode: () => 'webhook',
		getContext: () => data,
	});
	return async () => {
		const write = { subject: ['+15555550100'] };
		const journal = new Journal(context);
		const entry = journal.entryIdOf(write.subject);
		return journal.earlierOutput(entry, write) ?? (await journal.sendNoted(entry, write, send));
	};
}

test('what a model asks for once more after it was accepted is a new write', async () => {
	const send = jest.fn(async () => ({}));
	const call = toolOf(send);
	for (let calls = 0; calls < 3; calls++) await call();
	expect(send).toHaveBeenCalledTimes(3);
});

test.each([failureOf('unknown'), new TypeError('nobody foresaw this')])(
	'what a model asks for once more while nobody knows of it is not sent: %s',
	async (failure) => {
		const send = jest.fn(async () => {
			throw failure;
		});
		const call = toolOf(send);
		const first = await call().catch((error: unknown) => error);
		expect(String(first)).toContain(failure.message);
		expect(outcomeOf(first)).toBe('unknown');
		await expect(call()).rejects.toThrow('not sent again');
		expect(send).toHaveBeenCalledTimes(1);
	},
);

test('what was accepted in earlier rounds of a loop is counted together', () => {
	const data: IDataObject = {};
	let round = 0;
	const context = fake<IExecuteFunctions>({
		getNode: nodeWith,
		getMode: () => 'webhook',
		getContext: () => data,
		getWorkflowDataProxy: () => ({ $runIndex: round }),
		getExecutionContext: () => ({ establishedAt: 1 }),
	});
	for (const accepted of [2, 0, 3]) {
		new Journal(context).end(accepted);
		round++;
	}
	const { accepted, mayHaveSent } = new Journal(context);
	expect({ accepted, mayHaveSent }).toEqual({ accepted: 5, mayHaveSent: true });
});
