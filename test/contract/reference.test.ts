/** That docs/reference has the fields of the panel as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials.ts';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node.ts';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node.ts';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node.ts';
import { referencePages } from '../../scripts/reference.ts';

test('the pages are those of the nodes ("npm run docs" brings it up to date)', () => {
	const triggers = [new MessagingServiceTrigger(), new MessagingServicePollingTrigger()];
	const pages = referencePages({
		action: new MessagingService().description,
		triggers: triggers.map(({ description }) => description),
		credential: new MessagingServiceApi(),
	});

	const folder = join(import.meta.dirname, '../../docs/reference');
	const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
	expect(Object.fromEntries(files)).toEqual(pages);
});
