/** That docs/reference.md has the fields of the panel as they are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials.ts';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node.ts';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node.ts';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node.ts';
import { referencePage } from '../../scripts/reference.ts';

test('the page is that of the nodes ("npm run docs" brings it up to date)', () => {
	const triggers = [new MessagingServiceTrigger(), new MessagingServicePollingTrigger()];
	const page = referencePage({
		action: new MessagingService().description,
		triggers: triggers.map(({ description }) => description),
		credential: new MessagingServiceApi(),
	});

	const file = join(import.meta.dirname, '../../docs/reference.md');
	expect(readFileSync(file, 'utf8')).toBe(page);
});
