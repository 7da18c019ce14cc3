import type { IWebhookFunctions } from 'n8n-workflow';
import { readCredentialInBatch } from '../../../nodes/MessagingService/trigger/credentialBatch';
import { fake } from '../helpers/fake';
import { nodeWith } from '../helpers/node';

test('calls share readings of the credential, and none gets one that began before it came in', async () => {
	const readings: Array<(webhookSecret: string | Error) => void> = [];
	const context = fake<IWebhookFunctions>({
		getNode: () => nodeWith(),
		getWorkflow: () => ({ id: 'w' }),
		getCredentials: async () =>
			await new Promise((resolve, reject) => {
				readings.push((result) =>
					result instanceof Error ? reject(result) : resolve({ webhookSecret: result }),
				);
			}),
	});
	const read = async () => (await readCredentialInBatch(context)).webhookSecret;
	const secretsOf = async (count: number) =>
		await Promise.all(Array.from({ length: count }, async () => await read().catch(String)));

	const first = secretsOf(1);
	const meanwhile = secretsOf(3);
	readings[0]('old');
	expect(await first).toEqual(['old']);
	const later = secretsOf(2);
	readings[1](new Error('gone'));
	expect(await meanwhile).toEqual(Array(3).fill('Error: gone'));
	readings[2]('new');
	expect(await later).toEqual(['new', 'new']);
	expect(readings).toHaveLength(3);
});
