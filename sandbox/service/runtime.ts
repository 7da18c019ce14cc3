import { createAgent } from './agent.ts';
import type { Agent } from './agent.ts';
import { createOutbox } from './events/outbox.ts';
import type { Outbox } from './events/outbox.ts';
import { planFaults } from './faults.ts';
import type { FaultPlan } from './faults.ts';
import { createRateLimiter } from './rateLimit.ts';
import type { RateLimiter } from './rateLimit.ts';
import { createReceiveLog } from './receiveLog.ts';
import type { ReceiveLog } from './receiveLog.ts';
import { seedStore } from './seed.ts';
import type { SeedOptions } from './seed.ts';
import { defaultSettings, mergeSettings } from './settings.ts';
import type { Settings, SettingsPatch } from './settings.ts';
import type { Announce, Store, Team } from './store.ts';

/** What can be set back: the teams' data, the settings of the start, what was received. */
export type Resettable = 'data' | 'settings' | 'log';

/** Everything that changes while the service runs, shared by the interface and the control path. */
export interface Runtime {
	readonly log: ReceiveLog;
	readonly settings: Settings;
	readonly store: Store;
	readonly agent: Agent;
	readonly outbox: Outbox;
	readonly faults: FaultPlan;
	limiterOf(team: Team): RateLimiter;
	apply(patch: SettingsPatch): void;
	reset(parts: readonly Resettable[]): void;
}

/** Makes the state of a service that starts with this data and these settings. */
export function createRuntime(options: SeedOptions, patch: SettingsPatch): Runtime {
	// Fixed once, so that a reset brings back the same data.
	const seed = { ...options, now: options.now ?? new Date() };
	const startSettings = mergeSettings(defaultSettings, patch);
	const log = createReceiveLog();
	const limiters = new Map<string, RateLimiter>();
	let settings = startSettings;
	let faults = planFaults(settings.faults);
	let outbox = createOutbox(() => settings.events);
	const announce: Announce = (event, team, data) => void outbox.send({ event, team, data });
	let store = seedStore(seed, announce);
	let agent = createAgent(store, () => settings.agent);

	const runtime: Runtime = {
		log,
		get settings() {
			return settings;
		},
		get store() {
			return store;
		},
		get agent() {
			return agent;
		},
		get outbox() {
			return outbox;
		},
		get faults() {
			return faults;
		},
		limiterOf({ id }) {
			let limiter = limiters.get(id);
			if (limiter === undefined) {
				limiter = createRateLimiter(settings.rateLimit);
				limiters.set(id, limiter);
			}
			return limiter;
		},
		apply(change) {
			settings = mergeSettings(settings, change);
			// What is not touched keeps counting.
			if (change.faults) faults = planFaults(settings.faults);
			if (change.rateLimit) limiters.clear();
		},
		reset(parts) {
			if (parts.includes('log')) {
				log.reset();
				outbox.stop();
				outbox = createOutbox(() => settings.events);
			}
			if (parts.includes('settings')) runtime.apply(startSettings);
			if (parts.includes('data')) {
				agent.stop();
				store = seedStore(seed, announce);
				agent = createAgent(store, () => settings.agent);
				limiters.clear();
			}
		},
	};
	return runtime;
}
