import { toE164, withPlainDigits } from './phone';

/** The prefix of a number on another channel, as in "whatsapp:+15555550142". */
const SCHEME = /^[a-z]+:/i;

/** The people of a message, by their phone numbers in E.164. */
export interface People {
	participants: string[];
	/**
	 * Who may have written it: nobody if it is outbound, and any participant if the service gives a name instead of the
	 * sender's number.
	 */
	writers: string[];
}

/**
 * Reads the people of a message.
 *
 * @param countryCode the country code for numbers from the service that have none
 */
export function peopleOf(message: Readonly<Record<string, unknown>>, countryCode?: string): People {
	const { sender, members } = message;
	const senders = numbersIn(sender, countryCode);
	const participants = [...senders, ...numbersIn(members, countryCode)];
	const authors = senders.length > 0 ? senders : participants;
	return { participants, writers: isInbound(message) === true ? authors : [] };
}

/** Whether a message came in; undefined when it does not say so. Some services write a word for the documented boolean. */
export function isInbound({
	inbound,
	direction,
}: Readonly<Record<string, unknown>>): boolean | undefined {
	const word = String(inbound ?? direction).trim();
	return (
		/^(?:true|1|in|in(?:bound|coming|[^a-z]).*)$/i.test(word) ||
		(isOutbound(word) ? false : undefined)
	);
}

/** Whether a word says that a message went out. Any other may be that of a message that came in. */
export function isOutbound(word: string): boolean {
	return /^(?:false|0|out.*)$/is.test(word);
}

/**
 * Reads texts from the service as numbers in E.164. The interface does not show how the service writes them, so bare
 * digits count both as a national number, which `countryCode` completes, and as one that lacks only its "+". Numbers are
 * compared in E.164, never by their last digits.
 */
function numbersIn(texts: unknown, countryCode?: string): string[] {
	return [texts].flat().flatMap((text) => {
		if (typeof text !== 'string' && typeof text !== 'number') return [];
		const written = withPlainDigits(String(text)).replace(SCHEME, '').trim();
		const candidates = [
			toE164(written, countryCode),
			...(/^\d+$/.test(written) ? [toE164(`+${written}`)] : []),
		];
		return [...new Set(candidates.filter((number) => typeof number === 'string'))];
	});
}
