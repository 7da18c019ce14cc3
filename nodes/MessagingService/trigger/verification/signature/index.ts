import type { IDataObject } from 'n8n-workflow';
import { Problem } from '../../../nodeError';
import type { PanelValues } from '../../../panel/parameters';
import { splitList } from '../../../panel/splitList';
import { Refusal, refuse, type Verification } from '../verification';
import { ALGORITHMS } from './algorithms';
import { ENCODINGS, KEY_FORMATS, PUBLIC_MARK } from './encodings';
import * as fields from './fields';
import { readKey } from './keys';
import { SCHEMES } from './schemes';
import { parseTemplate, type Template } from './signedContent';
import { type Scheme, verifySignature } from './verifier';

export { signatureFields } from './fields';

const [KEY_AS_BASE64] = KEY_FORMATS;

/**
 * Reads how calls are signed.
 *
 * @throws {Problem} when a setting cannot be used, or when a signature would fit any body, or never fit.
 */
export function readSignature(values: PanelValues): Verification {
	const { preset, withPublicKey, adjustable } = values.choice(fields.scheme, SCHEMES);
	const entered: IDataObject = Object(values.raw(fields.settings.name));
	const adjusted = Object.fromEntries(adjustable.map((name) => [name, entered[name]]));
	const settings = preset
		? { ...preset, ...adjusted }
		: { ...entered, signatureHeader: values.raw(fields.signatureHeader.name) };
	const scheme = readScheme(values.membersOf(settings), !preset);
	const ofPublicKey =
		withPublicKey && readScheme(values.membersOf({ ...settings, ...withPublicKey }), false);
	const schemeOf = (secret: string) =>
		ofPublicKey && secret.startsWith(PUBLIC_MARK) ? ofPublicKey : scheme;
	return {
		check: (secret) => void readKey(secret, schemeOf(secret)),
		verify(call, secrets, now) {
			// With each of them, also after one has matched, so that a right signature takes as long as a wrong one.
			const [reason, ...others] = secrets.map((secret) =>
				reasonOf(() => verifySignature(schemeOf(secret), call, secret, now)),
			);
			if (reason !== undefined && !others.includes(undefined)) refuse(reason);
		},
	};
}

/** Why a secret does not verify a call; undefined when it does. */
function reasonOf(verify: () => void): string | undefined {
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

function readScheme(settings: PanelValues, isCustom: boolean): Scheme {
	const algorithm = settings.choice(fields.algorithm, ALGORITHMS);
	const format = settings.choice(fields.keyFormat, KEY_FORMATS);
	const time = readTimePlace(settings);
	return {
		signatureHeaders: splitList(settings.textOf(fields.signatureHeader)),
		separator: settings.choice(fields.separator, fields.SEPARATORS).text,
		prefix: settings.textOf(fields.MEMBERS.prefix),
		encoding: settings.choice(fields.encoding, ENCODINGS),
		algorithm,
		// No public key is a text.
		keyFormat: algorithm.isPublic && format.value === 'text' ? KEY_AS_BASE64 : format,
		signedContent: readSignedContent(settings, time),
		time,
		tolerance: readTolerance(settings),
		publicUrl: readPublicUrl(settings),
		isCustom,
	};
}

function readSignedContent(settings: PanelValues, time: Scheme['time']): Template {
	const template = parseTemplate(settings.textOf(fields.MEMBERS.signedContent));
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

/** A part of the signature header where that is set, else a header. */
function readTimePlace(settings: PanelValues): Scheme['time'] {
	const prefix = settings.textOf(fields.MEMBERS.timestampPrefix);
	if (prefix !== '') return { prefix };
	const headers = splitList(settings.textOf(fields.MEMBERS.timestampHeader));
	return headers.length > 0 ? { headers } : undefined;
}

function readTolerance(settings: PanelValues): number {
	const { name, displayName: label, default: otherwise } = fields.MEMBERS.tolerance;
	return settings.integer(name, 1, { label }) ?? otherwise;
}

function readPublicUrl(settings: PanelValues): string | undefined {
	const address = settings.textOf(fields.MEMBERS.publicUrl);
	if (address === '') return undefined;
	if (/^https?:\/\/[^/?#\s][^?#\s]*$/i.test(address)) return address;
	throw new Problem(
		`"Public URL" cannot be used: ${address}`,
		'Enter the whole address that the service calls, such as https://hooks.example.com/messages, without a query.',
	);
}
