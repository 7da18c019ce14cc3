import type { IWebhookFunctions } from 'n8n-workflow';
import {
	resetSecrets,
	secretsOf,
} from '../../../../nodes/MessagingService/trigger/verification/secrets';
import { fake } from '../../helpers/fake';
import { nodeWith } from '../../helpers/node';
import { VirtualClock } from '../../helpers/virtualClock';

const START = 1_000_000;

beforeEach(resetSecrets);

/** A trigger whose credential counts how often it is read. */
function triggerOf(workflow: string, credential = '1') {
	const state = { secret: 'old', reads: 0, fails: false };
	const context = fake<IWebhookFunctions>({
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ ...nodeWith(), credentials: { messagingServiceApi: { id: credential } } }),
		getCredentials: async () => {
			state.reads++;
			if (state.fails) throw new Error('The credential is gone');
			return { webhookSecret: state.secret };
		},
	});
	/** The secrets at this time after the start, in milliseconds. */
	const at = (time: number, clock = new VirtualClock(START + time)) => {
		const { recent, latest } = secretsOf(context, clock);
		return {
			recent: async () => (await recent()).webhook,
			latest: async () => (await clock.run(latest())).webhook,
		};
	};
	return { state, at };
}

test('is read once for many calls', async () => {
	const { state, at } = triggerOf('once');
	for (let time = 0; time < 10_000; time += 100) expect(await at(time).recent()).toEqual(['old']);
	expect(state.reads).toBe(1);
});

test('is read once for calls at the same time', async () => {
	const { state, at } = triggerOf('side by side');
	await Promise.all(Array.from({ length: 20 }, () => at(0).recent()));
	expect(state.reads).toBe(1);
});

test('an old one is not used after ten seconds', async () => {
	const { state, at } = triggerOf('rotation, old');
	await at(0).recent();
	state.secret = 'new';
	expect(await at(9_999).recent()).toEqual(['old']);
	expect(await at(10_000).recent()).toEqual(['new']);
});

test('a new one counts at once, for a call that the old one does not let in', async () => {
	const { state, at } = triggerOf('rotation, new');
	const clock = new VirtualClock(START);
	await at(0, clock).recent();
	await clock.run(clock.wait(1));
	expect(await at(0, clock).latest()).toEqual(['old']);
	state.secret = 'new';
	await clock.run(clock.wait(1));
	const call = at(0, clock);
	expect(await call.recent()).toEqual(['old']);
	expect(await call.latest()).toEqual(['new']);
	expect(await at(0, clock).recent()).toEqual(['new']);
});

test('is read once for all calls that do not pass at the same time, a little later', async () => {
	const { state, at } = triggerOf('strangers');
	await at(0).recent();
	const clock = new VirtualClock(START + 1);
	await Promise.all(Array.from({ length: 50 }, () => at(1, clock).latest()));
	expect(state.reads).toBe(2);
	expect(clock.now()).toBe(START + 100);
});

test('is read ten times a second at most for calls that do not pass', async () => {
	const { state, at } = triggerOf('strangers, one after the other');
	const clock = new VirtualClock(START);
	await at(0, clock).recent();
	while (clock.now() < START + 5_000) {
		await clock.run(clock.wait(10));
		await at(0, clock).latest();
	}
	expect(state.reads).toBeLessThanOrEqual(51);
});

test('is not read again for a call for which it was just read', async () => {
	const { state, at } = triggerOf('first call');
	const secrets = at(0);
	await secrets.recent();
	await secrets.latest();
	expect(state.reads).toBe(1);
});

test('what could not be read is read again', async () => {
	const { state, at } = triggerOf('failure');
	state.fails = true;
	await expect(at(0).recent()).rejects.toThrow('gone');
	await expect(at(1).latest()).rejects.toThrow('gone');
	state.fails = false;
	expect(await at(2).recent()).toEqual(['old']);
});

test('each workflow and each credential has its own', async () => {
	const one = triggerOf('own-1');
	const two = triggerOf('own-2');
	const other = triggerOf('own-1', '2');
	two.state.secret = 'two';
	other.state.secret = 'other';
	expect(await one.at(0).recent()).toEqual(['old']);
	expect(await two.at(0).recent()).toEqual(['two']);
	expect(await other.at(0).recent()).toEqual(['other']);
});

test.each([undefined, {}])(
	'that n8n does not have are missing in its words: %p',
	async (credentials) => {
		const context = fake<IWebhookFunctions>({
			getWorkflow: () => ({ id: 'none' }),
			getNode: () => ({ ...nodeWith(), credentials }),
			getCredentials: async () => {
				throw new Error('Node does not have any credentials set');
			},
		});
		await expect(secretsOf(context).recent()).rejects.toThrow('not have any credentials');
	},
);

test('a failure of an earlier read does not forget a later one', async () => {
	const { state, at } = triggerOf('late failure');
	state.fails = true;
	const failed = at(0).recent();
	state.fails = false;
	const later = at(10_000).recent();
	await expect(failed).rejects.toThrow('gone');
	await later;
	await at(10_001).recent();
	expect(state.reads).toBe(2);
});

test('is cached for a thousand triggers, and forgotten for the oldest beyond them', async () => {
	const triggers = Array.from({ length: 1_001 }, (_, i) => triggerOf(`many-${i}`));
	for (const { at } of triggers) await at(0).recent();
	for (const { at } of triggers.slice(1)) await at(1).recent();
	expect(triggers.every(({ state }) => state.reads === 1)).toBe(true);
	await triggers[0].at(1).recent();
	expect(triggers[0].state.reads).toBe(2);
});

test('can be forgotten', async () => {
	const { state, at } = triggerOf('reset');
	await at(0).recent();
	resetSecrets();
	await at(0).recent();
	expect(state.reads).toBe(2);
});
