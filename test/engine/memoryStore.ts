import { DataDeduplicationService } from 'n8n-core';

import { ProcessedStore } from '../unit/once/processedStore.ts';

/** What n8n remembers for the nodes of this file's tests; each test begins with nothing. */
export const store = new ProcessedStore();

beforeAll(async () => {
	// n8n has one for a process, which may have run other test files, and no other way to end it.
	Reflect.deleteProperty(DataDeduplicationService, 'instance');
	await DataDeduplicationService.init(store);
});

beforeEach(() => store.clear());
