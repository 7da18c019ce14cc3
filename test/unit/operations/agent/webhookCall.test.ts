import { readWebhookId } from '../../../../nodes/MessagingService/operations/agent/webhookCall';
import { failureOf, parametersOf } from '../../helpers/parameters';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const ADDRESS = `https://messaging.example.com/public/pipelines/webhook/${ID}`;

const read = (webhook: unknown) => readWebhookId(parametersOf({ webhook }));

const inEveryMode = (value: unknown) => [
	value,
	{ __rl: true, mode: 'url', value },
	{ __rl: true, mode: 'id', value },
];

test.each([
	ID,
	` ${ID}\n`,
	` ${ADDRESS} `,
	`${ADDRESS}/?a=1#top`,
	`http://localhost:8080/x/webhook/${ID}`,
	`messaging.example.com/public/pipelines/webhook/${ID}`,
])('reads %j in either mode', (value) => {
	for (const parameter of inEveryMode(value)) expect(read(parameter)).toBe(ID);
});

test.each([ID.slice(0, -1), ID.slice(0, 8), ID.slice(4), ADDRESS.slice(0, -4)])(
	'says that a part of %j is missing',
	(value) => {
		expect(failureOf(() => read(value)).message).toMatch(/^"Agent Webhook" is incomplete/);
	},
);

test.each([
	'https://messaging.example.com/public/pipelines/webhook/lead',
	`${ID}/../${ID}`,
	`${ID}0`,
	`https://messaging.example.com/?id=${ID}`,
	`https://messaging.example.com/agents/${ID}`,
])('refuses %j', (value) => {
	const error = failureOf(() => read(value));
	expect(error.message).toMatch(/^"Agent Webhook" is not a webhook address/);
	expect(error.description).toMatch(/agent builder/);
});
