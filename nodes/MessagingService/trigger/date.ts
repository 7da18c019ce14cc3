/** Milliseconds since 1970 of a date; NaN for anything else. One without a time zone is in UTC, wherever n8n runs. */
export function parseDate(text: string): number {
	return Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text);
}
