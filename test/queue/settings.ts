import { FRUGAL, NO_CODE_NODES } from '../../sandbox/n8n/sandbox.ts';

/** Settings for all n8n processes of the tests in queue mode. */
export const SETTINGS = {
	...FRUGAL,
	...NO_CODE_NODES,
	// A worker that died is found out soon.
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};
