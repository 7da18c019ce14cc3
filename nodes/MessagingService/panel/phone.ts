/**
 * Takes the spaces, dots, dashes and brackets out of a phone number that is written in full, with its
 * country code (E.164). Any other number is left as it is, for the service to judge.
 */
export function normalizePhone(phone: string): string {
	const compact = phone.replace(/[\s().\-\u00a0\u2010-\u2015]/g, '');
	return /^\+\d{2,15}$/.test(compact) ? compact : phone;
}

/** Whether a phone number matches a filter: by its digits, in whole or in part. */
export function isPhoneMatch(phone: unknown, filter: string): boolean {
	const wanted = digitsOf(filter);
	// How the service compares is not shown, so only what clearly does not match is taken out.
	return typeof phone !== 'string' || wanted === '' || digitsOf(phone).includes(wanted);
}

/** The digits of a phone number, however it is written. */
export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}
