import { defaultEventSettings, mergeEventSettings } from './events/settings.ts';
import type { EventSettings, EventSettingsPatch } from './events/settings.ts';
import type { Fault } from './faults.ts';

/** What a deployment may spell differently; the defaults are those of openapi.yaml. */
export interface CustomNames {
	connectorSegment: string;
	inboxIdsParameter: string;
	inboxIdsFormat: 'repeat' | 'brackets' | 'comma';
	afterParameter: string;
	beforeParameter: string;
	dateFormat: 'iso' | 'unixSeconds' | 'unixMilliseconds';
	limitParameter: string;
	pageParameter: string;
}

/** How this deployment speaks: everything interface.md leaves open, and what servers get wrong. */
export interface Dialect {
	customNames: CustomNames;
	/** Mounts the service below a path, such as `/api/v2`. */
	basePath: string;
	links: 'absolute' | 'relative' | 'none' | 'foreign';
	/** What `links.next` and `links.prev` are where there is no such page. */
	endLinks: 'empty' | 'omitted';
	firstPage: 0 | 1;
	total: 'right' | 'missing' | 'tooSmall' | 'tooLarge';
	/** Page size when the request names none. */
	defaultPageSize: number;
	/** Serves at most this many, whatever was asked for, without an error. Null for no such cap. */
	maxPageSize: number | null;
	/** Always serves the first page. */
	ignorePage: boolean;
	/** Serves the last page again beyond the end. */
	repeatLastPage: boolean;
	/** So many messages arrive before every message page but the first. */
	drift: number;
}

/** Limits section of interface.md: 1,000 webhook calls per 60 seconds and team. */
export interface RateLimit {
	enabled: boolean;
	requests: number;
	/** Length of the window in milliseconds. */
	windowMs: number;
	window: 'fixed' | 'sliding';
	/** How a 429 says when to come back. */
	retryAfter: 'seconds' | 'httpDate' | 'none';
}

/** The pipeline run that follows an accepted webhook call. */
export interface AgentSettings {
	enabled: boolean;
	/** Time between the 202 and the agent's message, in milliseconds. */
	delayMs: number;
	/** How long its message stays `sent` before it is `delivered`, in milliseconds; 0 for delivered at once. */
	deliveryMs: number;
}

export interface Settings {
	dialect: Dialect;
	rateLimit: RateLimit;
	agent: AgentSettings;
	/** Events to the outside, which are not part of the documented interface. */
	events: EventSettings;
	faults: Fault[];
	/** Delay of every answer in milliseconds. */
	latencyMs: number;
}

/** Settings to change; what is left out stays as it is. `faults` replaces the whole list. */
export interface SettingsPatch {
	dialect?: Partial<Omit<Dialect, 'customNames'>> & { customNames?: Partial<CustomNames> };
	rateLimit?: Partial<RateLimit>;
	agent?: Partial<AgentSettings>;
	events?: EventSettingsPatch;
	faults?: Fault[];
	latencyMs?: number;
}

export const defaultSettings: Settings = {
	dialect: {
		customNames: {
			connectorSegment: 'telephony',
			inboxIdsParameter: 'inboxIds',
			inboxIdsFormat: 'repeat',
			afterParameter: 'startDate',
			beforeParameter: 'endDate',
			dateFormat: 'iso',
			limitParameter: 'limit',
			pageParameter: 'page',
		},
		basePath: '',
		links: 'absolute',
		endLinks: 'empty',
		firstPage: 1,
		total: 'right',
		defaultPageSize: 20,
		maxPageSize: null,
		ignorePage: false,
		repeatLastPage: false,
		drift: 0,
	},
	rateLimit: {
		enabled: true,
		requests: 1000,
		windowMs: 60_000,
		window: 'fixed',
		retryAfter: 'seconds',
	},
	agent: { enabled: true, delayMs: 25, deliveryMs: 0 },
	events: defaultEventSettings,
	faults: [],
	latencyMs: 0,
};

/** Applies a patch to settings and returns new ones; neither argument is changed. */
export function mergeSettings(settings: Settings, patch: SettingsPatch): Settings {
	return {
		dialect: {
			...settings.dialect,
			...patch.dialect,
			customNames: { ...settings.dialect.customNames, ...patch.dialect?.customNames },
		},
		rateLimit: { ...settings.rateLimit, ...patch.rateLimit },
		agent: { ...settings.agent, ...patch.agent },
		events: mergeEventSettings(settings.events, patch.events),
		faults: patch.faults ?? settings.faults,
		latencyMs: patch.latencyMs ?? settings.latencyMs,
	};
}
