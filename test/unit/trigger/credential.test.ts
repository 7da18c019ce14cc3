import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { readCredential } from '../../../nodes/MessagingService/trigger/credential';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

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

// A read is kept by a timer, which would keep a process of Jest from ending.
beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('calls of about a second share a read, and later ones read anew', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({ webhookSecret: 's3' }));
	const call = () => readCredential(callTo('together', 'a', read));
	await Promise.all([call(), call()]);
	await jest.advanceTimersByTimeAsync(900);
	await call();
	expect(read).toHaveBeenCalledTimes(1);
	await jest.advanceTimersByTimeAsync(200);
	await call();
	expect(read).toHaveBeenCalledTimes(2);
});

test('another credential, and another workflow, is read by itself', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({}));
	const calls = [callTo('one', 'a', read), callTo('one', 'b', read), callTo('two', 'a', read)];
	await Promise.all(calls.map(readCredential));
	expect(read).toHaveBeenCalledTimes(3);
});

test('a read that fails fails the calls that wait for it, and no later one', async () => {
	const read = jest.fn<ReturnType<Read>, []>(async () => ({ webhookSecret: 's3' }));
	read.mockRejectedValueOnce(new Error('no such credential'));
	const call = () => readCredential(callTo('broken', 'a', read));
	await expect(Promise.all([call(), call()])).rejects.toThrow('no such credential');
	expect(await call()).toEqual({ webhookSecret: 's3' });
});
