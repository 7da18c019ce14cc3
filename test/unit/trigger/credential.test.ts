import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { TriggerState } from '../../../nodes/MessagingService/trigger/process';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';
import { VirtualClock } from '../helpers/virtualClock';

type Read = () => Promise<ICredentialDataDecryptedObject>;

/** A call to the trigger of a workflow, with a credential and a way to read it. */
function callTo(workflow: string, credential: string, getCredentials: Read): IWebhookFunctions {
	const credentials = { messagingServiceApi: { id: credential, name: '' } };
	return fake<IWebhookFunctions>({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ ...nodeWith(), credentials }),
		getCredentials: getCredentials as IWebhookFunctions['getCredentials'],
	});
}

let clock: VirtualClock;
let process: TriggerState;
beforeEach(() => {
	clock = new VirtualClock();
	process = new TriggerState(clock);
});

test('calls of about a second share a read, and later ones read anew', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({ webhookSecret: 's3' }));
	const call = () => process.readCredential(callTo('together', 'a', read));
	await Promise.all([call(), call()]);
	await clock.run(clock.wait(900));
	await call();
	expect(read).toHaveBeenCalledTimes(1);
	await clock.run(clock.wait(200));
	await call();
	expect(read).toHaveBeenCalledTimes(2);
});

test('another credential, and another workflow, is read by itself', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({}));
	const calls = [callTo('one', 'a', read), callTo('one', 'b', read), callTo('two', 'a', read)];
	await Promise.all(calls.map(async (call) => await process.readCredential(call)));
	expect(read).toHaveBeenCalledTimes(3);
});

test('a read that fails fails the calls that wait for it, and no later one', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({ webhookSecret: 's3' }));
	read.mockRejectedValueOnce(new Error('no such credential'));
	const call = () => process.readCredential(callTo('broken', 'a', read));
	await expect(Promise.all([call(), call()])).rejects.toThrow('no such credential');
	expect(await call()).toEqual({ webhookSecret: 's3' });
});
