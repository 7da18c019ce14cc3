import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import type { ApiRequest } from '../../api/request';
import { path } from '../../api/url';
import { textField } from '../../panel/field';
import { optionsField } from '../../panel/options';
import type { WriteOperation } from '../operation';

const nameField = textField('Name', 'name', 'Name of the new inbox', {
	required: true,
	placeholder: 'e.g. Website chat',
	hint: 'Each run creates another inbox',
});

/** Creates an inbox for WebSocket connections (interface, endpoint 3). */
export const createExternal: WriteOperation = {
	option: {
		name: 'Create External',
		value: 'createExternal',
		action: 'Create external inbox',
		description: 'Create an inbox that your own application connects to by WebSocket',
	},
	toolDescription:
		'Creates a new external inbox, to which an application connects by WebSocket. Every call creates another one. Use it only when the user asks for it. Returns the inbox.',
	writes: true,
	fields: [nameField, optionsField()],

	async execute({ client, parameters }, run) {
		const body: components['schemas']['NewExternalInbox'] = {
			name: parameters.requiredText(nameField),
		};
		const { connectorSegment } = client.account.names;
		const request: ApiRequest = {
			method: 'POST',
			path: path`/public/${connectorSegment}-connector/inbox/websocket`,
			repeat: 'ifRefused',
			body,
			notFound: {
				message: 'The messaging service does not know the address for external inboxes',
				description:
					'Turn on "Override Names" in the credential and set "Connector Segment", which differs between deployments.',
			},
		};
		return await run.once(
			{ subject: [body.name] },
			async () => await client.send(request, readObject),
		);
	},
};
