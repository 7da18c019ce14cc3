/** How many webhook calls of a team begin in any window of 60 seconds, and who waits for whom. */
import fc from 'fast-check';
import { CallQueue } from '../../../nodes/MessagingService/api/callQueue';
import { Pacers, type Turn } from '../../../nodes/MessagingService/api/pacer';
import { VirtualClock } from '../helpers/virtualClock';
import { response } from '../helpers/api';

const WINDOW = 60_000;
const ACCEPTED = response(202);

interface Planned extends Turn {
	at: number;
	duration: number;
}

interface Sent extends Planned {
	begin: number;
	end: number;
}

/** Sends requests of one team, each execution through a queue of its own; in the order in which they began. */
async function sendAll(planned: readonly Planned[]): Promise<Sent[]> {
	const clock = new VirtualClock(0);
	const pacers = new Pacers(clock);
	const queues = new Map<string, CallQueue>();
	const queueOf = (execution: string) => {
		const queue = queues.get(execution) ?? new CallQueue(clock);
		queues.set(execution, queue);
		return queue;
	};
	const sent: Sent[] = [];
	const send = async (request: Planned) => {
		await clock.wait(request.at);
		const pace = pacers.of('team', request);
		await queueOf(request.execution).call({
			pace,
			repeat: 'ifRefused',
			send: async () => {
				const begin = clock.now();
				const place = sent.length;
				sent.push({ ...request, begin, end: Infinity });
				await clock.wait(request.duration);
				sent[place].end = clock.now();
				return ACCEPTED;
			},
		});
	};
	await clock.run(Promise.all(planned.map(send)));
	return sent;
}

/**
 * The most requests under a limit that a window of 60 seconds may have seen when the request was counted: the service
 * counts each at some moment between its begin and its end, and which one nobody here knows.
 */
function mostCountedWith(
	request: Sent,
	index: number,
	sent: readonly Sent[],
	bound: number,
): number {
	return sent
		.slice(0, index + 1)
		.filter(({ end, limit }) => limit <= bound && end >= request.begin - WINDOW).length;
}

const plans = (limit: fc.Arbitrary<number>, executions: number) =>
	fc.array(
		fc.record({
			at: fc.oneof(fc.constant(0), fc.nat({ max: 500 }), fc.nat({ max: 200_000 })),
			duration: fc.oneof(fc.constant(0), fc.nat({ max: 300 }), fc.nat({ max: 20_000 })),
			limit,
			execution: fc.nat({ max: executions - 1 }).map(String),
		}),
		{ maxLength: 40 },
	);

test('no window of 60 seconds sees more than any limit, in mixtures of executions and limits', async () => {
	let full = 0;
	await fc.assert(
		fc.asyncProperty(plans(fc.constantFrom(1, 3, 10, 20, 30), 3), async (planned) => {
			const sent = await sendAll(planned);
			const bounds = [...new Set(sent.map(({ limit }) => limit))];
			sent.forEach((request, index) => {
				for (const bound of bounds.filter((each) => each >= request.limit)) {
					const count = mostCountedWith(request, index, sent, bound);
					expect(count).toBeLessThanOrEqual(bound);
					if (count === bound) full++;
				}
			});
		}),
		{ numRuns: 1_000 },
	);
	// A limit that nothing reaches would prove nothing.
	expect(full).toBeGreaterThan(300);
});

test('nothing waits below the limit', async () => {
	let begun = 0;
	await fc.assert(
		fc.asyncProperty(plans(fc.constant(43), 3), async (planned) => {
			for (const { begin, at } of await sendAll(planned)) {
				expect(begin).toBe(at);
				begun++;
			}
		}),
		{ numRuns: 300 },
	);
	expect(begun).toBeGreaterThan(300);
});

const LIMIT = 1_000;
/** So many requests of one execution, at a moment. */
const many = (count: number, more: Partial<Planned>): Planned[] =>
	Array.from({ length: count }, () => ({
		at: 0,
		duration: 200,
		limit: LIMIT,
		execution: 'many',
		...more,
	}));

describe.each<[string, Planned[]]>([
	['a run of many', many(3_000, {})],
	[
		'a loop in rounds of 40',
		Array.from({ length: 75 }, (_, round) => many(40, { at: 250 * round })).flat(),
	],
])('beside %s', (_name, bulk) => {
	test.each([LIMIT, LIMIT / 2])(
		'a single request under a limit of %i does not wait',
		async (limit) => {
			const singles = Array.from({ length: 40 }, (_, index): Planned => {
				return { at: 4_000 * index, duration: 200, limit, execution: `single ${index}` };
			});
			const sent = await sendAll([...bulk, ...singles]);
			const isSingle = ({ execution }: Turn) => execution.startsWith('single');
			const waited = sent.filter(isSingle).map(({ begin, at }) => begin - at);
			expect(waited).toHaveLength(40);
			expect(Math.max(...waited)).toBeLessThanOrEqual(2_000);
			for (let index = 0; index < sent.length; index += 97) {
				expect(mostCountedWith(sent[index], index, sent, LIMIT)).toBeLessThanOrEqual(LIMIT);
			}
		},
	);
});

test('one run of many leaves 5 % of the limit to others', async () => {
	const sent = await sendAll(many(1_200, {}));
	expect(sent.filter(({ begin }) => begin < WINDOW)).toHaveLength(950);
});

test('a look at the pace takes no longer the more calls count', () => {
	const pacers = new Pacers(new VirtualClock(0));
	/** Microseconds of processor time for so many calls within a minute. */
	const costOf = (team: string, calls: number): number => {
		const before = process.cpuUsage();
		for (let call = 0; call < calls; call++) {
			const pace = pacers.of(team, { limit: 1_000_000, execution: 'many' });
			if (pace.delay === 0) pace.begin()(ACCEPTED);
		}
		const { user, system } = process.cpuUsage(before);
		return user + system;
	};
	costOf('so that the code is compiled', 4_000);
	// Sixteen times as many take about sixteen times as long, and 256 times if each call went through all before it.
	expect(costOf('large', 16_000)).toBeLessThan(70 * costOf('small', 1_000));
});
