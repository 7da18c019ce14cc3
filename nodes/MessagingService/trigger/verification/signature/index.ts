import { Problem } from '../../../nodeError';
import type { PanelValues } from '../../panelValues';
import type { Verification } from '../verification';
import {
	algorithm,
	encoding,
	keyFormat,
	MEMBERS,
	scheme,
	separator,
	settings,
	signatureHeader,
} from './fields';
import { KEY_FORMATS, readKey } from './keys';
import { READY_SCHEMES } from './schemes';
import { parseTemplate, type Template } from './signedContent';
import { type Scheme, type Signing, verifySignature } from './verifier';

export { signatureFields } from './fields';

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting cannot be used, or when a signature would fit any body, or never fit.
 */
export function readSignature(values: PanelValues): Verification {
	const read = readScheme(values);
	return {
		needsBody: true,
		check: (secret) => void readKey(secret, read.signing(secret)),
		verify: (call, secrets, now) => verifySignature(read, call, secrets, now),
	};
}

function readScheme(values: PanelValues): Scheme {
	const members = values.collection(settings);
	const chosen = values.choice(scheme);
	const ready = READY_SCHEMES.find(({ value }) => value === chosen.value);
	const common = {
		tolerance: readTolerance(members),
		publicUrl: readPublicUrl(members),
	};
	return ready ? { ...ready.scheme, ...common } : { ...readCustom(values, members), ...common };
}

function readCustom(
	values: PanelValues,
	members: PanelValues,
): Omit<Scheme, 'tolerance' | 'publicUrl'> {
	const signing = {
		algorithm: members.choice(algorithm),
		keyFormat: members.choice(keyFormat),
		prefix: members.text(MEMBERS.prefix),
	};
	checkKeyFormat(signing);
	const divider = members.choice(separator).text;
	const time = readTime(members, divider);
	return {
		signatureHeaders: [values.text(signatureHeader)],
		separator: divider,
		encoding: members.choice(encoding),
		signing: () => signing,
		signedContent: readSignedContent(members, time),
		time,
		isCustom: true,
	};
}

function readSignedContent(members: PanelValues, time: Scheme['time']): Template {
	const template = parseTemplate(members.text(MEMBERS.signedContent));
	if (!template.coversBody) {
		throw new Problem(
			'"Signed Content" does not cover the body: {body}, {fields} or {sha256:body} is missing',
			'A signature that is not made of the body would let in any body. Enter the placeholder where the body stands in what your service signs. If the service does not sign the body, choose another way to verify its calls.',
		);
	}
	if (template.needsTimestamp && !time) {
		throw new Problem(
			'"Timestamp Header" is missing',
			'"Signed Content" contains {timestamp}, so enter the header in which your service sends the time. If the time is a part of the signature header, enter "Timestamp Prefix" instead.',
		);
	}
	return template;
}

function readTime(members: PanelValues, divider: string): Scheme['time'] {
	const header = members.text(MEMBERS.timestampHeader);
	const prefix = members.text(MEMBERS.timestampPrefix);
	if (header !== '' && prefix !== '') {
		throw new Problem(
			'Both "Timestamp Header" and "Timestamp Prefix" are set',
			'Keep the header if your service sends the time in a header of its own, or the prefix if the time is a part of the signature header.',
		);
	}
	if (prefix !== '' && divider === '') {
		throw new Problem(
			'"Timestamp Prefix" needs a "Separator"',
			'Choose what stands between the time and the signature in the header.',
		);
	}
	if (header !== '') return { headers: [header] };
	return prefix === '' ? undefined : { prefix };
}

function checkKeyFormat({ algorithm: made, keyFormat: format }: Signing): void {
	if (format.isPublic === undefined || format.isPublic === made.isPublic) return;
	const fitting = KEY_FORMATS.filter(({ isPublic }) => isPublic !== format.isPublic)
		.map(({ name }) => name)
		.join(', ');
	throw new Problem(
		`"Key Format" cannot be ${format.name} for ${made.name}`,
		`${made.name} verifies with ${made.isPublic ? 'a public key' : 'a secret'}. Choose one of these: ${fitting}.`,
	);
}

function readTolerance(members: PanelValues): number {
	const tolerance = members.number(MEMBERS.tolerance);
	if (tolerance >= 1) return tolerance;
	throw new Problem(
		`"Tolerance" is ${tolerance}`,
		'Enter how many seconds the time of a call may be in the past or in the future, at least 1.',
	);
}

function readPublicUrl(members: PanelValues): string | undefined {
	const address = members.text(MEMBERS.publicUrl);
	if (address === '') return undefined;
	if (/^https?:\/\/[^/?#\s][^?#\s]*$/i.test(address)) return address;
	throw new Problem(
		`"Public URL" cannot be used: ${address}`,
		'Enter the whole address that the service calls, such as https://hooks.example.com/messages, without a query.',
	);
}
