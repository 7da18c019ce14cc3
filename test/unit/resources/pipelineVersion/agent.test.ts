import {
	pipelineId,
	readPipelineId,
} from '../../../../nodes/MessagingService/resources/pipelineVersion/agent';
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
	ID,
	` ${ID}\n`,
	`${BUILDER}/${ID}`,
	`${BUILDER}/${ID}/`,
	`${BUILDER}/${ID}/edit?tab=2#top`,
	`${BUILDER}?agent=${ID}`,
	`${BUILDER}#/${ID}`,
	`messaging.example.com/builder/${ID}`,
	`${BUILDER}/${ID}/draft/${ID}`,
	`${BUILDER}/agents/${ID}/versions/${OTHER}`,
	`${BUILDER}/team/${OTHER}/pipeline/${ID}`,
])('reads %j in either mode', (value) => {
	for (const parameter of inEveryMode(value)) expect(read(parameter)).toBe(ID);
});

test.each([
	['', '"Agent" is empty'],
	[undefined, '"Agent" is empty'],
	['7', '"Agent" is not a valid ID'],
	[`${ID}0`, '"Agent" is not a valid ID'],
	[BUILDER, '"Agent" is not a valid ID'],
	[`${BUILDER}/team/${OTHER}/flow/${ID}`, '"Agent" is an address with more than one ID'],
	[
		`https://messaging.example.com/public/pipelines/webhook/${ID}`,
		'"Agent" is the address of a webhook',
	],
])('refuses %j', (value, message) => {
	for (const parameter of inEveryMode(value)) {
		const error = failureOf(() => read(parameter));
		expect(error.message).toBe(message);
		expect(error.description).toMatch(/agent/);
	}
});

describe('while it is typed', () => {
	// As n8n does it.
	const isFine = (value: string) =>
		(pipelineId.modes ?? [])
			.flatMap(({ validation = [] }) => validation)
			.every(
				(check) =>
					'type' in check &&
					new RegExp(`^${String(Reflect.get(check.properties, 'regex'))}$`).test(value),
			);

	test.each([ID, ` ${ID} `, `${BUILDER}/${ID}`, `${BUILDER}/agents/${ID}/versions/${OTHER}`])(
		'%j is fine',
		(value) => expect(isFine(value)).toBe(true),
	);

	test.each([
		'7',
		'Greeter',
		BUILDER,
		`${ID}0`,
		`https://messaging.example.com/public/pipelines/webhook/${ID}`,
	])('%j is not', (value) => expect(isFine(value)).toBe(false));
});
