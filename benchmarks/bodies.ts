import { randomUUID } from 'node:crypto';

/** Bodies of a kind that a receiver may stumble over. */
interface LargeBody {
	kind: string;
	/** JSON unless given. */
	type?: string;
	/** Makes one of about so many bytes. */
	make(size: number, id: number): string;
}

const list = (count: number, entry: string) => `[${Array(Math.ceil(count)).fill(entry).join()}]`;
const FORM = 'application/x-www-form-urlencoded';

export const LARGE_BODIES: LargeBody[] = [
	{ kind: 'numbers', make: (size, id) => `{"id":${id},"data":${list(size / 2, '1')}}` },
	{ kind: 'objects', make: (size, id) => `[{"id":${id}},${list(size / 3, '{}').slice(1)}` },
	{ kind: 'a text', make: (size, id) => `{"event":"${id}${'a'.repeat(size)}"}` },
	{
		kind: 'nested',
		make: (size, id) => `${'{"a":'.repeat(size / 6)}${id}${'}'.repeat(size / 6)}`,
	},
	{
		kind: 'JSON in a text',
		make: (size, id) => JSON.stringify({ id, data: `{"data":${list(size / 2, '1')}}` }),
	},
	{ kind: 'no JSON', type: 'text/plain', make: (size, id) => `{"id":${id},${'['.repeat(size)}` },
	{ kind: 'empty fields', type: FORM, make: (size, id) => `id=${id}${'&a='.repeat(size / 3)}` },
	{ kind: 'a form of signs', type: FORM, make: (size, id) => `id=${id}${'&'.repeat(size)}` },
];

/** The event of a message that a contact has sent. */
export function receivedMessage(id: number): object {
	const created = new Date().toISOString();
	const data = {
		...{ id, created, updated: created, timestamp: created, externalId: `message-${id}` },
		...{ body: `Hello, is ${id} still free on Thursday?`, segments: 1, seen: false },
		...{ conversationId: `conversation-${id}`, inboxId: '1b0c0000-0000-4000-8000-000100000001' },
		...{ inbound: true, status: 'received', sender: '+15555550142', senderType: 'contact' },
		members: ['+15555550142', '+15555550100'],
	};
	return { id: randomUUID(), event: 'message.received', created, data };
}
