import type { IDataObject } from 'n8n-workflow';
import { Answered } from '../../../../nodes/MessagingService/resources/message/answered';
import { startProcessorTime } from '../../../helpers/processor';

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

test('a reply that several items waited for is remembered once', () => {
	const flow: IDataObject = {};
	const answered = new Answered({ getContext: () => flow }, 'team');
	for (let item = 0; item < 3; item++) answered.add(ADA, at('2026-01-31T08:05:00Z'));
	answered.add(ADA, { ...at('2026-01-31T08:05:00Z'), id: 8 });
	expect(answered.latest(ADA)?.ids).toEqual(['7', '8']);
});

test('remembering 20,000 replies costs no more for each than remembering 2,000', () => {
	const timeFor = (contacts: number) => {
		const flow: IDataObject = {};
		const answered = new Answered({ getContext: () => flow }, 'team');
		const spent = startProcessorTime();
		for (let contact = 0; contact < contacts; contact++) {
			answered.add({ numbers: [`+1555${contact}`] }, at('2026-01-31T08:05:00Z'));
		}
		return spent();
	};
	const leastFor = (contacts: number) => Math.min(...[1, 2, 3].map(() => timeFor(contacts)));
	expect(leastFor(20_000)).toBeLessThan(30 * leastFor(2_000));
});
