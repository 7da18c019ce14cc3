import { dropdown, type Field } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { Problem } from '../../words/problem';
import type { Verification, Verifier } from './call';
import { readSharedSecret, sharedSecretFields } from './sharedSecret';
import { readSignature, signatureFields } from './signature';

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
 * @throws {Problem} when a setting is invalid, or when any body would be accepted.
 */
export function readVerification(values: PanelValues): Verification | undefined {
	return READERS[values.choice(verificationField)](values);
}

/**
 * Makes a verifier for the secrets of a credential, the current one first: one of them has to fit.
 *
 * @throws {Problem} when there is none, or one with which no call could be verified.
 */
export function createVerifier(verification: Verification, secrets: readonly string[]): Verifier {
	// An empty one would be a secret that everybody knows.
	if (secrets.length === 0) {
		throw new Problem(
			'Enter a "Webhook Secret" in the credential, and try again',
			'Without it, anyone who knows the address could start this workflow.',
		);
	}
	const verifiers = secrets.map((secret) => verification.createVerifier(secret));
	return (call, now) => {
		const reasons = verifiers.map((verify) => verify(call, now));
		return reasons.includes(undefined) ? undefined : reasons[0];
	};
}
