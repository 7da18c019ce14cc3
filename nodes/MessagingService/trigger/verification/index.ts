import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../n8n/problem';
import type { PanelValues } from '../../panel/parameters';
import { type Choice, dropdown } from '../../panel/dropdown';
import type { IncomingCall, Verification, Verifier } from './call';
import { readSharedSecret, sharedSecretFields } from './sharedSecret';
import { readSignature } from './signature';
import { signatureFields } from './signatureFields';

export type { IncomingCall, Verification } from './call';

const openNotice: INodeProperties = {
	displayName:
		'Anyone who knows the address can start this workflow. Choose this only if your service can neither send a secret nor sign its calls.',
	name: 'openNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { verification: ['none'] } },
};

const VERIFICATIONS: Array<Choice & { read(values: PanelValues): Verification | undefined }> = [
	{
		name: 'None',
		value: 'none',
		description: 'Anyone who knows the address can start this workflow',
		read: () => undefined,
	},
	{
		name: 'Shared Secret',
		value: 'sharedSecret',
		description: 'The service sends the webhook secret of the credential with each call',
		read: readSharedSecret,
	},
	{
		name: 'Signature',
		value: 'signature',
		description: 'The service signs each call with the webhook secret of the credential',
		read: readSignature,
	},
];

const verificationField = dropdown({
	displayName: 'Verification',
	name: 'verification',
	default: 'sharedSecret',
	description: 'How this trigger knows that a call comes from your messaging service',
	entries: VERIFICATIONS,
});

/** How a call has to prove that it comes from the service. */
export const verificationFields: INodeProperties[] = [
	verificationField,
	openNotice,
	...sharedSecretFields,
	...signatureFields,
];

/**
 * Reads how calls are verified; undefined when they need not be.
 *
 * @throws {Problem} when a setting has an unknown value, or when any body would be accepted.
 */
export function readVerification(values: PanelValues): Verification | undefined {
	return values.choice(verificationField, VERIFICATIONS).read(values);
}

/**
 * Checks that calls can be verified with the current secret.
 *
 * @param secrets those of the credential, the current one first
 * @throws {Problem} when it cannot be used, or there is none.
 */
export function checkSecrets(verification: Verification, [current]: readonly string[]): void {
	const verifier = verifierFor(verification, current);
	if (verifier instanceof Problem) throw verifier;
}

/**
 * Verifies a call. A previous secret that cannot be used is ignored.
 *
 * @param secrets those of the credential, the current one first
 * @param now milliseconds since 1970
 * @returns Why the call may not pass; undefined when it may.
 * @throws {Problem} when no call can be verified with the current secret.
 */
export function reasonToRefuse(
	verification: Verification,
	call: IncomingCall,
	[current, ...previous]: readonly string[],
	now: number,
): string | undefined {
	const verifier = verifierFor(verification, current);
	if (verifier instanceof Problem) throw verifier;
	const reason = verifier(call, now);
	if (reason === undefined) return undefined;
	const fits = (secret: string) => {
		const earlier = verifierFor(verification, secret);
		return !(earlier instanceof Problem) && earlier(call, now) === undefined;
	};
	return previous.some(fits) ? undefined : reason;
}

/** The keys of key pairs: as PEM, as Standard Webhooks writes them, and public ones (RSA, EC, Ed25519) in Base64. */
const OF_A_PAIR = /^(?:-----BEGIN|wh[ps]k_|M.{3,9}(?:kqhkiG9w0B|GCSqGSIb3DQEB|HKoZIzj0C|BQYDK2V))/;

/** The verifier for a secret, or why no secret like this is safe. */
function verifierFor(verification: Verification, secret: string | undefined): Verifier | Problem {
	if (secret === undefined) {
		// An empty one would be a secret that everybody knows.
		return new Problem(
			'Enter a "Webhook Secret" in the credential, and try again',
			'Without it, anyone who knows the address could start this workflow. It is the secret that the service signs or sends its events with.',
		);
	}
	if (OF_A_PAIR.test(secret)) {
		// Anybody may know a public key, and could send it, or sign with it.
		return new Problem(
			'The webhook secret is a public or private key, and this trigger verifies with a shared secret',
			'Enter the signing secret of your service, if it has one. The page about signatures says what to do if it signs with a key pair.',
		);
	}
	return verification.createVerifier(secret);
}
