import { parseJson } from '../../api/json';
import type { ApiRequest, ApiResponse } from '../../api/request';
import { withPlainDigits } from '../../contacts/phone';
import { textField } from '../../panel/field';
import { optionsField } from '../../panel/options';
import type { WriteOperation } from '../operation';

/** Matches the answer of a service that leaves out the quotes of the promised JSON string, but no web page. */
const BARE_TEXT = /^\s*[^\s{["<]/;

const tokenField = textField(
	'Token',
	'token',
	'The one-time password to check, as the person entered it',
	{
		typeOptions: { password: true },
		required: true,
		placeholder: 'e.g. 123456',
		hint: 'A wrong token may give no error: check "result" in an If node',
		advice: 'Enter the token.',
	},
);

/** Verifies a one-time password (interface, endpoint 1). The API key is not sent to it. */
export const verify: WriteOperation = {
	option: {
		name: 'Verify',
		value: 'verify',
		action: 'Verify one-time password',
		description: 'Check a one-time password that someone entered',
	},
	toolDescription:
		'Checks a one-time password that someone entered, which may use it up: check each only once. Returns the answer of the service.',
	// The request is a GET, but it may use up the one-time password.
	writes: true,
	fields: [tokenField, optionsField()],

	async execute({ client, parameters }, run) {
		if (typeof parameters.value(tokenField) === 'number') {
			parameters.fail(
				`"${tokenField.displayName}" is a number instead of a text`,
				'A number has lost the zeros at its beginning. Have it as a text where it comes from. Nothing was sent.',
			);
		}
		const token = withPlainDigits(parameters.requiredText(tokenField));
		const request: ApiRequest = {
			method: 'GET',
			path: '/verify-otp',
			// The first call may use the token up, even if its answer is lost.
			repeat: 'ifRefused',
			query: [['token', token]],
			authenticate: false,
		};
		return await run.once({ subject: [token] }, async () => ({
			result: await client.send(request, readResult),
		}));
	},
};

/** The text that the service answers with, which may be empty. */
function readResult({ text }: ApiResponse): string | undefined {
	const json = parseJson(text);
	const result = json === undefined && BARE_TEXT.test(text) ? text.trim() : json;
	return typeof result === 'string' ? result : undefined;
}
