import { Problem } from '../../words/problem';
import { dropdown, type Field } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import type { IncomingCall, Verification } from './call';
import { readSharedSecret, sharedSecretFields } from './sharedSecret';
import { readSignature } from './signature';
import { signatureFields } from './signatureFields';

const verificationField = dropdown({
	displayName: 'Verification',
	name: 'verification',
	default: 'sharedSecret',
	description: 'How this trigger knows that a call comes from your messaging service',
	options: [
		{
			name: 'None',
			value: 'none',
			description:
				'Anyone who knows the address can start this workflow. Choose this only if your service can neither send a secret nor sign its calls.',
		},
		{
			name: 'Shared Secret',
			value: 'sharedSecret',
			description: 'The service sends the webhook secret of the credential with each call',
		},
		{
			name: 'Signature',
			value: 'signature',
			description: 'The service signs each call with the webhook secret of the credential',
		},
	],
});

const READERS = {
	none: () => undefined,
	sharedSecret: readSharedSecret,
	signature: readSignature,
};

/** How a call has to prove that it comes from the service. */
export const verificationFields: Field[] = [
	verificationField,
	...sharedSecretFields,
	...signatureFields,
];

/**
 * Reads how calls are verified; undefined when they need not be.
 *
 * @throws {Problem} when a setting has an unknown value, or when any body would be accepted.
 */
export function readVerification(values: PanelValues): Verification | undefined {
	return READERS[values.choice(verificationField)](values);
}

/** How keys begin that come in pairs: of Standard Webhooks, and in PEM. */
const PUBLIC_KEY = /^(?:whpk_|-----BEGIN )/;

/**
 * Checks that calls can be verified with the secrets of a credential.
 *
 * @throws {Problem} when there is none, or one that cannot be used.
 */
export function checkSecrets(verification: Verification, secrets: readonly string[]): void {
	requireSecrets(secrets);
	for (const secret of secrets) verification.createVerifier(secret);
}

/**
 * Verifies a call: one of the secrets has to fit.
 *
 * @param secrets those of the credential, the current one first
 * @param now milliseconds since 1970
 * @returns Why the call may not pass; undefined when it may.
 * @throws {Problem} when no call can be verified with these secrets.
 */
export function reasonToRefuse(
	verification: Verification,
	call: IncomingCall,
	secrets: readonly string[],
	now: number,
): string | undefined {
	requireSecrets(secrets);
	let refusal: string | undefined;
	for (const secret of secrets) {
		const reason = verification.createVerifier(secret)(call, now);
		if (reason === undefined) return undefined;
		refusal ??= reason;
	}
	return refusal;
}

function requireSecrets(secrets: readonly string[]): void {
	if (secrets.length === 0) {
		// An empty one would be a secret that everybody knows.
		throw new Problem(
			'Enter a "Webhook Secret" in the credential, and try again',
			'Without it, anyone who knows the address could start this workflow.',
		);
	}
	if (secrets.some((secret) => PUBLIC_KEY.test(secret))) {
		throw new Problem(
			'The webhook secret in the credential is a public key, which everybody may know',
			'Services that sign with a private key cannot be verified here.',
		);
	}
}
