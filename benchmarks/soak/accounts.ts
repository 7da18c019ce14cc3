import { type Service } from '../../sandbox/service/service.ts';
import type { Collector } from './collector.ts';

/** Two counts that have to be equal. */
export interface Account {
	what: string;
	expected: number;
	found: number;
}

/** Puts what the service did beside what the workflows report. */
export function settle(
	service: Service,
	collector: Collector,
	eventExecutions: number,
): { accounts: Account[]; uncertain: number } {
	const accepted = service.accepted().map(({ body }) => Number(body.id));
	const reported = (...wanted: string[]) =>
		[...collector.leads].flatMap(([id, result]) => (wanted.includes(result) ? [id] : []));
	const uncertain = reported('uncertain');
	const sent = reported('accepted', 'skipped');
	const acceptedOnce = new Set(accepted);
	const messages = service.teams()[0]?.messages.length ?? 0;
	const deliveries = new Set(service.deliveries().map(({ id }) => id));
	const failed = service.deliveries().filter(({ state }) => state !== 'delivered');
	return {
		uncertain: uncertain.length,
		accounts: [
			{
				what: 'Leads reported as sent or uncertain, of those created',
				expected: collector.leadsCreated,
				found: sent.length + uncertain.length,
			},
			{
				what: 'Leads reported as sent that the service has accepted',
				expected: sent.length,
				found: sent.filter((id) => acceptedOnce.has(id)).length,
			},
			{
				what: 'Leads accepted by the service but reported neither as sent nor as uncertain',
				expected: 0,
				found: [...acceptedOnce].filter((id) => !sent.includes(id) && !uncertain.includes(id))
					.length,
			},
			{
				what: 'Calls accepted beyond the first of a lead',
				expected: 0,
				found: accepted.length - acceptedOnce.size,
			},
			{
				what: 'Messages that came out of "Only New", of those at the service',
				expected: messages,
				found: collector.messages.size,
			},
			{ what: 'Messages that came out twice', expected: 0, found: repeated(collector.messages) },
			{ what: 'Deliveries that did not get through', expected: 0, found: failed.length },
			{
				what: 'Events that started the workflow, of those sent',
				expected: deliveries.size,
				found: collector.events.size,
			},
			{ what: 'Events that started it twice', expected: 0, found: repeated(collector.events) },
			{
				what: 'Executions that events started, by the count of n8n',
				expected: deliveries.size,
				found: eventExecutions,
			},
		],
	};
}

function repeated(counts: Map<string, number>): number {
	return [...counts.values()].filter((times) => times > 1).length;
}
