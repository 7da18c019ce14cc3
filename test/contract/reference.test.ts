/** That docs/reference has the fields of the panel as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MessagingServiceApi } from '../../credentials/MessagingServiceApi.credentials.ts';
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node.ts';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node.ts';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node.ts';
import { referencePages } from '../../scripts/docs/reference.ts';

const folder = join(import.meta.dirname, '../../docs/reference');

test('the pages are those of the nodes ("npm run docs" brings them up to date)', () => {
	const pages = referencePages({
		action: new MessagingService().description,
		trigger: new MessagingServiceTrigger().description,
		polling: new MessagingServicePollingTrigger().description,
		credential: new MessagingServiceApi(),
	});

	expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
	for (const [file, text] of pages) {
		expect([file, readFileSync(join(folder, file), 'utf8')]).toEqual([file, text]);
	}
});
