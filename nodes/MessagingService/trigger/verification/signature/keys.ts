import { Problem } from '../../../nodeError';
import type { Algorithm, Key } from './algorithms';
import { decodePem, type Encoding, PUBLIC_MARK } from './encodings';

const PEM = '-----BEGIN';

/** How the text of a webhook secret becomes a key. */
export interface KeySettings {
	algorithm: Algorithm;
	keyFormat: Encoding;
}

/**
 * Reads a webhook secret as a key. A public key may be PEM, whatever format is set; one that is set to be text is
 * Base64, since no public key is a text.
 *
 * @throws {Problem} when it is none.
 */
export function readKey(secret: string, { algorithm, keyFormat: format }: KeySettings): Key {
	checkKind(secret, algorithm);
	const bytes = secret.startsWith(PEM) ? decodePem(secret) : format.decode(secret);
	if (!bytes) {
		throw new Problem(
			`The webhook secret is not written as ${secret.startsWith(PEM) ? 'PEM' : format.name}: copy it from your service again`,
			'Copy it from your service again, from its first character to its last. If "Scheme" is "Custom", check "Key Format" too.',
		);
	}
	const key = algorithm.toKey(bytes);
	if (key) return key;
	throw new Problem(
		`The webhook secret is no public key for ${algorithm.name}: copy the key from your service again`,
		'Copy the public key from your service again. If "Scheme" is "Custom", check "Algorithm" and "Key Format" too.',
	);
}

/** Checks that a secret is not of the wrong kind for an algorithm, whatever bytes it stands for. */
function checkKind(secret: string, { isPublic, name }: Algorithm): void {
	if (/^-----BEGIN [A-Z ]*PRIVATE KEY|^whsk_/.test(secret)) {
		throw new Problem(
			'The webhook secret is a private key: enter the public key instead',
			'Only the service may have it. Enter the public key that belongs to it in the credential.',
		);
	}
	if (!isPublic && (secret.startsWith(PEM) || secret.startsWith(PUBLIC_MARK))) {
		// Everybody may know it, so everybody could sign with it.
		throw new Problem(
			`The webhook secret is a public key, and ${name} needs a secret`,
			'Choose the algorithm that your service signs with, Ed25519 or ECDSA P-256, or enter its signing secret in the credential.',
		);
	}
}
