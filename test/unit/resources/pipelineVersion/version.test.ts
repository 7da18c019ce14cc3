import { readPipelineId } from '../../../../nodes/MessagingService/resources/pipelineVersion/version';
import { failureOf, parametersOf } from '../../helpers/parameters';

const ID = '123e4567-e89b-12d3-a456-426614174000';
const OTHER = '99999999-e89b-12d3-a456-426614174000';
const BUILDER = 'https://messaging.example.com/builder';

const read = (value: unknown) => readPipelineId(parametersOf({ pipelineId: value }));

test.each([
	` ${ID}\n`,
	`${BUILDER}/${ID}/edit?tab=2#top`,
	`messaging.example.com/builder?agent=${ID}`,
	`${BUILDER}/${ID}/draft/${ID}`,
])('reads %j', (value) => {
	expect(read(value)).toBe(ID);
});

test.each([
	['', '"Agent" is empty'],
	['7', '"Agent" is not a valid ID'],
	[`${ID}0`, '"Agent" is not a valid ID'],
	[BUILDER, '"Agent" is not a valid ID'],
	[`${BUILDER}/agents/${ID}/versions/${OTHER}`, '"Agent" is not a valid ID'],
	[`https://messaging.example.com/public/pipelines/webhook/${ID}`, '"Agent" is not a valid ID'],
])('refuses %j', (value, message) => {
	const error = failureOf(() => read(value));
	expect(error.message).toBe(message);
	expect(error.description).toMatch(/agent/);
});
