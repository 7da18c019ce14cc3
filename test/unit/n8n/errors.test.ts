import type { INode } from 'n8n-workflow';
import { type Answer, RequestFailure } from '../../../nodes/MessagingService/api/request';
import { toNodeError } from '../../../nodes/MessagingService/n8n/errors';
import { response } from '../helpers/api';
import { nodeWith } from '../helpers/node';

const NODE: INode = nodeWith();

/** What n8n is told about an answer, beside its words. */
function failureOf(answer: Answer): unknown {
	const request = {
		...({ method: 'GET', path: '/', repeat: 'idempotent' } as const),
		...{ origin: 'https://messaging.example.com', timeout: 1_000, hasDeadline: false },
	};
	const error = toNodeError(NODE, new RequestFailure(request, answer, 'refused'));
	return 'failure' in error ? error.failure : undefined;
}

test.each<[number, object | undefined]>([
	[401, { cause: 'credential-invalid' }],
	[429, { cause: 'rate-limited', retryAfterMs: 7_000 }],
	[503, { cause: 'temporarily-unavailable' }],
	[400, undefined],
])('n8n is told what a status %d means', (status, failure) => {
	expect(failureOf(response(status, '', { 'retry-after': '7' }))).toEqual(failure);
});
