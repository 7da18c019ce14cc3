import { parseDate } from '../../date';

/** Below it, a number is one of seconds: as milliseconds, it is in March 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Milliseconds since 1970, from seconds, milliseconds or a date; NaN for anything else. */
export function readTime(text: string): number {
	if (/^\d+(\.\d+)?$/.test(text)) {
		const number = Number(text);
		return number < FIRST_MILLISECONDS ? number * 1_000 : number;
	}
	return parseDate(text);
}
