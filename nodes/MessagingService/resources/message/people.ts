import type { IDataObject } from 'n8n-workflow';
import { splitList } from '../../panel/splitList';
import { isPhoneNumber } from './phoneIndex';

/** The participants of a one-to-one conversation: a contact and an inbox. */
const ONE_TO_ONE = 2;

/** Everybody who takes part in a message, as the service writes them. */
export function participantsOf({ sender, members }: IDataObject): string[] {
	return [...textsOf(sender), ...membersOf(members)];
}

/**
 * Who wrote a message that came in, as the service writes them; nobody for one that went out. Where the service names
 * the sender instead of giving a number, it is one of the two who take part. Among more, nobody can tell.
 */
export function writersOf({ inbound, sender, members }: IDataObject): string[] {
	if (inbound === false) return [];
	const [number] = textsOf(sender).filter(isPhoneNumber);
	if (number !== undefined) return [number];
	const participants = membersOf(members);
	return inbound === true && participants.length <= ONE_TO_ONE ? participants : [];
}

// The format of members is not shown: it may be a list, or one text.
function membersOf(members: unknown): string[] {
	return [members].flat().flatMap(textsOf).flatMap(splitList);
}

function textsOf(value: unknown): string[] {
	return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
