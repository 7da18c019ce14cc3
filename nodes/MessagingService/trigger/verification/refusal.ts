import { Problem } from '../../nodeError';

/** Ends the verification of a call that may not pass. The message says why, without any secret. */
class Refusal extends Error {}

/** Refuses the call that is being verified. */
export function refuse(reason: string): never {
	throw new Refusal(reason);
}

/** Why a call is refused by its verification, or cannot be verified; undefined when it may pass. */
export function reasonOf(verify: () => void): string | undefined {
	try {
		verify();
		return undefined;
	} catch (error) {
		return messageOf(error);
	}
}

function messageOf(error: unknown): string {
	if (error instanceof Refusal || error instanceof Problem) return error.message;
	throw error;
}
