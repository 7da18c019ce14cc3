import { parseJson } from '../../../nodes/MessagingService/api/json';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test.each([
	['what is nested too deep', nested(1_001)],
	['an object that is nested too deep', `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`],
	['what is nested too deep behind a string', `{"a":"\\\\","b":${nested(1_001)}}`],
	['what is no JSON', '{"a":'],
])('%s is not parsed', (_name, text) => {
	expect(parseJson(text)).toBeUndefined();
});

test.each([
	['many levels', nested(1_000)],
	['many lists side by side', `[${Array(2_000).fill('{"a":[]}').join()}]`],
	['brackets in a string', JSON.stringify({ a: '"[{'.repeat(2_000), b: '\\"' })],
])('%s are parsed', (_name, text) => {
	expect(parseJson(text)).toEqual(JSON.parse(text));
});
