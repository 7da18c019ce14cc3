import type { IDataObject } from 'n8n-workflow';
import { Answered } from '../../../../nodes/MessagingService/resources/message/answered';

const ADA = { numbers: ['+15555550100', '+15555550101'] };
const at = (timestamp: string) => ({ id: 7, timestamp, created: '2026-01-31T08:00:00Z' });

test('a reply is known to the other steps of an execution, by any number of the contact', () => {
	const flow: IDataObject = { ofAnotherNode: 1 };
	const stepOf = (team: string) => new Answered({ getContext: () => flow }, team);

	stepOf('team').add(ADA, at('2026-01-31T08:05:00Z'));
	stepOf('team').add({ numbers: ['+15555550102'] }, at('2026-01-31T08:06:00Z'));

	const time = Date.parse('2026-01-31T08:05:00Z');
	for (const number of ADA.numbers) {
		expect(stepOf('team').latest({ numbers: [number] })).toEqual({ at: time, ids: ['7'] });
	}
	expect(stepOf('team').latest({ numbers: ['+15555550103'] })).toBeUndefined();
	expect(stepOf('another team').latest(ADA)).toBeUndefined();
	// n8n stores it with the execution.
	expect(JSON.parse(JSON.stringify(flow))).toEqual(flow);
	expect(flow.ofAnotherNode).toBe(1);
});
