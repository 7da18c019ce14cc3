import { readPipelineId } from '../../../../nodes/MessagingService/resources/pipelineVersion/version';
import { failureOf, parametersOf } from '../../helpers/parameters';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER = '99999999-e89b-12d3-a456-426614174000';
const BUILDER = 'https://messaging.example.com/builder';

const read = (value: unknown) => readPipelineId(parametersOf({ pipelineId: value }));
const inEveryMode = (value: unknown) => [
	value,
	{ __rl: true, mode: 'url', value },
	{ __rl: true, mode: 'id', value },
];

test.each([
	` ${ID}\n`,
	`${BUILDER}/${ID}/edit?tab=2#top`,
	`messaging.example.com/builder?agent=${ID}`,
	`${BUILDER}/${ID}/draft/${ID}`,
	`${BUILDER}/agents/${ID}/versions/${OTHER}`,
	`${BUILDER}/team/${OTHER}/pipeline/${ID}`,
])('reads %j in either mode', (value) => {
	for (const parameter of inEveryMode(value)) expect(read(parameter)).toBe(ID);
});

test.each([
	['', '"Agent" is empty'],
	['7', '"Agent" is not a valid ID'],
	[`${ID}0`, '"Agent" is not a valid ID'],
	[BUILDER, '"Agent" is not a valid ID'],
	[`${BUILDER}/team/${OTHER}/flow/${ID}`, '"Agent" is not a valid ID'],
	[`https://messaging.example.com/public/pipelines/webhook/${ID}`, '"Agent" is not a valid ID'],
])('refuses %j', (value, message) => {
	for (const parameter of inEveryMode(value)) {
		const error = failureOf(() => read(parameter));
		expect(error.message).toBe(message);
		expect(error.description).toMatch(/agent/);
	}
});
