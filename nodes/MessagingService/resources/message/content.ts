import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isObject } from '../../api/json';
import { defaultCountryCode } from '../../panel/countryCode';
import { refuseEmptyFilter } from '../../panel/list';
import type { FieldWords, Parameters } from '../../panel/parameters';
import { type Contact, contactField, readContact } from './contact';

/** Which messages are wanted by what is in them. The service has no such filters, so messages are picked out here. */
export interface Content {
	contact?: Contact;
	inbound?: boolean;
	/** In lower case; any when empty. */
	statuses: string[];
	/** In lower case. */
	text?: string;
}

const DIRECTION: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	options: [
		{ name: 'Inbound', value: 'inbound', description: 'Messages that contacts sent to you' },
		{ name: 'Outbound', value: 'outbound', description: 'Messages that you sent to contacts' },
	],
	default: 'inbound',
	description: 'Only messages that you received, or only those that you sent. Needs "After".',
};

const PHONE: INodeProperties = {
	...contactField,
	description: `Only messages from or to this number, with country code. Separate several numbers of one contact with commas. Numbers without a country code are completed by "${defaultCountryCode.displayName}" in the options. Needs "After".`,
};

const STATUS: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'string',
	default: '',
	placeholder: 'e.g. failed',
	description:
		'Only messages with this delivery status, in the words of your service. Separate several with commas. Needs "After".',
};

const TEXT: INodeProperties = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	default: '',
	placeholder: 'e.g. appointment',
	description: 'Only messages that contain this text, in upper or lower case. Needs "After".',
};

/** The filters by content, for the "Filters" of a list. */
export const contentFields: INodeProperties[] = [DIRECTION, PHONE, STATUS, TEXT];

/** The names of those filters that a collection has. */
export function contentFiltersIn(filters: unknown): string[] {
	if (!isObject(filters)) return [];
	return contentFields.map(({ name }) => name).filter((name) => Object.hasOwn(filters, name));
}

/** Reads the filters by content; undefined when there are none. */
export function readContent(parameters: Parameters): Content | undefined {
	const names = contentFiltersIn(parameters.raw('filters'));
	if (names.length === 0) return undefined;
	const statuses = parameters.texts('filters.status', { label: STATUS.displayName }).map(toLower);
	if (names.includes(STATUS.name) && statuses.length === 0) {
		refuseEmptyFilter(parameters, STATUS.displayName);
	}
	return {
		contact: names.includes(PHONE.name) ? readContact(parameters, 'filters.phone') : undefined,
		inbound: readInbound(parameters),
		statuses,
		text: parameters.text('filters.text', { label: TEXT.displayName })?.toLowerCase(),
	};
}

/** What a message is compared by, texts in lower case. */
type Comparable = ReturnType<typeof comparable>;

/** Makes a message ready to be compared with what many items want. */
export function comparable({ inbound, status, body }: IDataObject) {
	return { inbound, status: toLower(status), body: toLower(body) };
}

/** Whether a message has the content that is wanted, apart from the contact. */
export function hasContent(
	{ inbound, status, body }: Comparable,
	{ inbound: direction, statuses, text }: Content,
): boolean {
	if (direction !== undefined && inbound !== direction) return false;
	if (statuses.length > 0 && !statuses.includes(status)) return false;
	return text === undefined || body.includes(text);
}

function readInbound(parameters: Parameters): boolean | undefined {
	const words: FieldWords = { label: DIRECTION.displayName };
	const direction = parameters.text('filters.direction', words)?.toLowerCase();
	if (direction === undefined) return undefined;
	if (direction === 'inbound' || direction === 'outbound') return direction === 'inbound';
	return parameters.fail(
		`"${words.label}" has to be inbound or outbound`,
		'Choose one from the list, or correct the expression.',
	);
}

function toLower(value: unknown): string {
	return typeof value === 'string' ? value.toLowerCase() : '';
}
