import { type Call, refuse } from './verification';

type Headers = Call['headers'];

const MAX_NAMES = 30;
const MAX_NAME_LENGTH = 60;

/** What every call has, which would only hide the others. */
const USUAL = /^(?:accept.*|connection|content-(?:length|type)|host|user-agent|x-forwarded-.*)$/i;

/** A header that came, by the name that it was looked for. */
interface Header {
	name: string;
	value: string;
}

/** The first of these headers that came with a value. Refuses a call without one. */
export function findHeader(headers: Headers, names: readonly string[]): Header {
	for (const name of names) {
		const value = headers[name.toLowerCase()];
		if (typeof value === 'string' && value !== '') return { name, value };
	}
	return refuse(`no header "${names[0]}"; these headers came: ${listHeaders(headers)}`);
}

/** The names of the headers that came, without the usual ones. Their values are not shown: some of them are secret. */
export function listHeaders(headers: Headers): string {
	const names = Object.keys(headers)
		.filter((name) => !USUAL.test(name))
		.sort();
	const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH));
	const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
	return (shown.join(', ') || 'only the usual ones') + more;
}
