import { createAgent, type Agent } from './agent.ts';
import { createOutbox, type Outbox } from './events/outbox.ts';
import { planFaults, type FaultPlan } from './faults.ts';
import { createRateLimiter, type RateLimiter } from './rateLimit.ts';
import { ReceiveLog } from './receiveLog.ts';
import { seedStore, type SeedCounts } from './seed.ts';
import { defaultSettings, patched, type Settings, type SettingsPatch } from './settings.ts';
import type { Store, Team } from './store.ts';

/** What can be set back: the teams' data, the settings of the start, what was received. */
export type Resettable = 'data' | 'settings' | 'log';

/** Everything that changes while the service runs, shared by the interface and the control path. */
export class Runtime {
	log = new ReceiveLog();
	settings: Settings;
	faults: FaultPlan;
	outbox: Outbox;
	store: Store;
	agent: Agent;
	private readonly startSettings: Settings;
	private readonly seed: () => Store;
	private readonly limiters = new Map<string, RateLimiter>();

	/** Starts with these settings, and with so much data around a time; a reset brings back the same. */
	constructor(patch: SettingsPatch, demo: SeedCounts, now: Date) {
		this.settings = this.startSettings = patched(defaultSettings, patch);
		this.faults = planFaults(this.settings.faults);
		this.outbox = createOutbox(() => this.settings.events);
		this.seed = () =>
			seedStore(demo, now, (event, team, data) => this.outbox.send({ event, team, data }));
		this.store = this.seed();
		this.agent = createAgent(this.store, () => this.settings.agent.enabled);
	}

	limiterOf({ id }: Team): RateLimiter {
		const limiter = this.limiters.get(id) ?? createRateLimiter(this.settings.rateLimit);
		this.limiters.set(id, limiter);
		return limiter;
	}

	/** What is not touched keeps counting. */
	apply(change: SettingsPatch): void {
		this.settings = patched(this.settings, change);
		if (change.faults) this.faults = planFaults(this.settings.faults);
		if (change.rateLimit) this.limiters.clear();
	}

	reset(parts: readonly Resettable[]): void {
		if (parts.includes('log')) {
			this.log = new ReceiveLog();
			this.outbox.stop();
			this.outbox = createOutbox(() => this.settings.events);
		}
		if (parts.includes('settings')) this.apply(this.startSettings);
		if (parts.includes('data')) {
			this.agent.stop();
			this.store = this.seed();
			this.agent = createAgent(this.store, () => this.settings.agent.enabled);
			this.limiters.clear();
		}
	}

	stop(): void {
		this.agent.stop();
		this.outbox.stop();
	}
}
