import type { INodeProperties } from 'n8n-workflow';
import { Problem } from '../../nodeError';
import { type Choice, dropdown, type PanelValues } from '../panelValues';
import { readSharedSecret, sharedSecretFields } from './sharedSecret';
import { readSignature, signatureFields } from './signature';
import type { Call, Verification } from './verification';

export type { Verification } from './verification';

interface Kind extends Choice {
	fields: INodeProperties[];
	read(values: PanelValues): Verification | undefined;
}

const openNotice: INodeProperties = {
	displayName:
		'Everybody who knows the address can start this workflow, with any content they like. Choose this only if your service can neither send a secret nor sign its calls, and then set "Allowed Addresses" in the options.',
	name: 'openNotice',
	type: 'notice',
	default: '',
};

const KINDS: Kind[] = [
	{
		name: 'None',
		value: 'none',
		description: 'Everybody who knows the address can start this workflow',
		fields: [openNotice],
		read: () => undefined,
	},
	{
		name: 'Shared Secret',
		value: 'sharedSecret',
		description: 'The service sends the webhook secret of the credential with each call',
		fields: sharedSecretFields,
		read: readSharedSecret,
	},
	{
		name: 'Signature (HMAC)',
		value: 'hmac',
		description: 'The service signs each call with the webhook secret of the credential',
		fields: signatureFields,
		read: readSignature,
	},
];

const kind = dropdown(
	{
		displayName: 'Verification',
		name: 'verification',
		default: 'sharedSecret',
		description: 'How this trigger knows that a call comes from your messaging service',
	},
	KINDS,
);

/** How a call has to prove that it comes from the service. */
export const verificationFields: INodeProperties[] = [
	kind.field,
	...KINDS.flatMap(({ value, fields }) => fields.map((field) => shownFor(value, field))),
];

/**
 * Reads how calls are verified; undefined when they need not be.
 *
 * @throws {Problem} when it is set to something unknown, or would let in any body.
 */
export function readVerification(values: PanelValues): Verification | undefined {
	return values.choice(kind).read(values);
}

/** Why no call at all could be verified with this secret; undefined when one could. */
export function problemWith(verification: Verification, secret: string): Problem | undefined {
	if (secret !== '') return verification.problemWith?.(secret);
	// It would be a secret that everybody knows.
	return new Problem(
		'The credential has no webhook secret: enter it there, then activate the workflow again',
		'Without it, everybody who knows the address could start this workflow. It is the secret that the service signs or sends its events with: enter it as "Webhook Secret".',
	);
}

/**
 * Verifies a call.
 *
 * @param now milliseconds since 1970
 * @returns Why the call is refused, for the log; undefined when it may pass.
 */
export function refusal(
	verification: Verification,
	call: Call,
	secret: string,
	now: number,
): string | undefined {
	const problem = problemWith(verification, secret);
	return problem ? problem.message : verification.refusal(call, secret, now);
}

function shownFor(value: string, field: INodeProperties): INodeProperties {
	const show = { [kind.field.name]: [value], ...field.displayOptions?.show };
	return { ...field, displayOptions: { show } };
}
