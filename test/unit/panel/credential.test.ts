import { readAccount, readWebhookSecrets } from '../../../nodes/MessagingService/panel/credential';
import { failureOf } from '../helpers/parameters';

const baseUrl = 'https://messaging.example.com/';
const DEFAULT_NAMES = {
	connectorSegment: 'telephony',
	inboxIdsParameter: 'inboxIds',
	inboxIdsFormat: 'repeat',
	afterParameter: 'startDate',
	beforeParameter: 'endDate',
	dateFormat: 'iso',
	limitParameter: 'limit',
	pageParameter: 'page',
};

test('an account has its address and key without blanks, and the default names', () => {
	expect(readAccount({ baseUrl, apiKey: ' key-1\n' })).toMatchObject({
		baseUrl: { origin: 'https://messaging.example.com', href: 'https://messaging.example.com' },
		apiKey: 'key-1',
		names: DEFAULT_NAMES,
	});
});

test('a key is sent without what a header cannot carry, and secret either way', () => {
	const account = readAccount({ baseUrl, apiKey: 'key-\u200b1\n2' });
	expect(account.apiKey).toBe('key-12');
	expect(account.redactor.hide('key-\u200b1\n2 key-12')).toBe('[hidden] [hidden]');
});

test('a webhook secret is hidden as it was pasted, and without what nobody sees', () => {
	const { redactor } = readAccount({ baseUrl, apiKey: '', webhookSecret: 'secret\u200b-1' });
	expect(redactor.hide('secret\u200b-1 secret-1')).toBe('[hidden] [hidden]');
});

test.each([
	'"key-1"',
	"'key-1'",
	'Bearer key-1',
	'"Bearer key-1"',
	'apiKey: key-1',
	'"apiKey": "key-1",',
	'X-API-Key=key-1',
	'Authorization: Bearer key-1',
	'\u201ckey-1\u201d',
])('a key is sent alone, whatever was copied with it: %s', (entered) => {
	const { apiKey, redactor } = readAccount({ baseUrl, apiKey: entered });
	expect(apiKey).toBe('key-1');
	expect(redactor.hide('key-1')).toBe('[hidden]');
	// As it is, a key may look like anything.
	expect(readAccount({ baseUrl, apiKey: 'bearer=key:1' }).apiKey).toBe('bearer=key:1');
});

test.each(['\u2022\u2022\u2022key-1', 'key-1\u2026', 'key***1', '...'])(
	'a key with signs in place of characters is refused: %s',
	(apiKey) => {
		const { message, description } = failureOf(() => readAccount({ baseUrl, apiKey }));
		expect(message).toMatch(/dots or stars in place of characters/);
		expect(message + description).not.toContain('key-1');
	},
);

test.each<[which: string, entered: object, names: object]>([
	['none while they are off', { pageParameter: 'p', dateFormat: 'unixSeconds' }, {}],
	['none that is empty', { overrideNames: true, pageParameter: ' ', dateFormat: '' }, {}],
	[
		'those that are entered',
		{ overrideNames: true, pageParameter: ' p ', inboxIdsFormat: 'comma' },
		{ pageParameter: 'p', inboxIdsFormat: 'comma' },
	],
])('of the names of a deployment, %s replace the default', (_which, entered, names) => {
	const account = readAccount({ baseUrl, apiKey: '', ...entered });
	expect(account.names).toEqual({ ...DEFAULT_NAMES, ...names });
});

test('a format is known however it is written, and an unknown one is refused', () => {
	const read = (dateFormat: string) =>
		readAccount({ baseUrl, apiKey: '', overrideNames: true, dateFormat });
	expect(read(' UnixSeconds ').names.dateFormat).toBe('unixSeconds');
	const { message, description } = failureOf(() => read('roman'));
	expect(message).toBe('"Date Format" has an unknown value: "roman"');
	expect(description).toBe('Use one of these: ISO 8601, Unix Milliseconds, Unix Seconds.');
});

test('a team is told by its key and address, however that is written', () => {
	const team = (address: string, apiKey: string) => readAccount({ baseUrl: address, apiKey }).team;
	const own = team(baseUrl, 'key-1');
	expect(team('messaging.example.com', ' key-1')).toBe(own);
	expect(team(baseUrl, 'key-2')).not.toBe(own);
	expect(team('https://other.example.com', 'key-1')).not.toBe(own);
	expect(own).not.toContain('key-1');
});

test('the webhook secrets are read without blanks and what nobody sees', () => {
	expect(readWebhookSecrets({ webhookSecret: ' secret\u200b ' })).toEqual(['secret']);
	expect(readWebhookSecrets({})).toEqual([]);
	const both = { webhookSecret: 'new', previousWebhookSecret: ' old ' };
	expect(readWebhookSecrets(both)).toEqual(['new', 'old']);
	expect(readWebhookSecrets({ webhookSecret: 'new', previousWebhookSecret: ' ' })).toEqual(['new']);
	// The previous one alone is none: it is on its way out.
	expect(readWebhookSecrets({ webhookSecret: ' ', previousWebhookSecret: 'old' })).toEqual([]);
});
