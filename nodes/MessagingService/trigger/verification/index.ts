import { dropdown, type Field } from '../../panel/field';
import type { PanelValues } from '../../panel/values';
import { Problem } from '../../words/problem';
import type { Verification } from './call';
import { readSharedSecret, sharedSecretFields } from './sharedSecret';
import { readSignature, signatureFields } from './signature';

const verificationField = dropdown({
	displayName: 'Verification',
	name: 'verification',
	default: 'sharedSecret',
	description:
		'How a call proves, by the "Webhook Secret" of the credential, that it comes from your messaging service',
	options: [
		{
			name: 'None',
			value: 'none',
			description: 'Anyone who knows the address can start this workflow',
		},
		{ name: 'Shared Secret', value: 'sharedSecret', description: 'Each call has the secret in it' },
		{ name: 'Signature', value: 'signature', description: 'The service signs each call with it' },
	],
});

/** How a call has to prove that it comes from the service. */
export const verificationFields: Field[] = [
	verificationField,
	...sharedSecretFields,
	...signatureFields,
];

/**
 * Reads how calls are verified; undefined when they need not be.
 *
 * @param secrets those of the credential, one of which a call has to prove, the current one first
 * @throws {Problem} when there is no secret, when one or a setting cannot be used, or when any body would be accepted.
 */
export function readVerification(
	values: PanelValues,
	secrets: readonly string[],
): Verification | undefined {
	const kind = values.choice(verificationField);
	if (kind === 'none') return undefined;
	// An empty one would be a secret that everybody knows.
	if (secrets.length === 0) {
		throw new Problem(
			'Enter a "Webhook Secret" in the credential, and try again',
			'Anyone who knows the address could start this workflow.',
		);
	}
	const read = kind === 'signature' ? readSignature : readSharedSecret;
	return read(values, secrets);
}
