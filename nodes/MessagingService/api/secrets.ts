/** Takes secrets out of a text, also where they are written as in JSON or in an address. */
export function redact(text: string, secrets: readonly string[]): string {
	return secrets
		.filter((secret) => secret !== '')
		.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
		.reduce((redacted, secret) => redacted.replaceAll(secret, '[hidden]'), text);
}
