import type { ApiNames } from './contract.ts';
import type { Fault } from './faults.ts';

/** How this deployment speaks: everything that the service's documentation leaves open, and what servers get wrong. */
export interface Dialect {
	overrideNames: ApiNames;
	/** Mounts the service below a path, such as `/api/v2`. */
	basePath: string;
	/** How pages are linked; `lastToItself` and `self` are what they say, and `empty` links are empty texts. */
	links:
		| 'absolute'
		| 'relative'
		| 'lastToItself'
		| 'cursor'
		| 'self'
		| 'empty'
		| 'none'
		| 'foreign';
	/** What `links.next` and `links.prev` are where there is no such page. */
	endLinks: 'empty' | 'omitted';
	firstPage: 0 | 1;
	/** `ofWindow`: no more than what it serves. `capped`: a hundred at most. `ofPage`: what is on the page. */
	total: 'right' | 'missing' | 'tooSmall' | 'tooLarge' | 'ofWindow' | 'capped' | 'ofPage';
	/** Serves at most this many, whatever was asked for, without an error. */
	maxPageSize: number;
	/** Always serves the first page. */
	ignorePage: boolean;
	/** What comes behind the last page: no entries, the last page again, `data: null`, `{}`, nothing at all, or a status. */
	beyondEnd: 'empty' | 'lastPage' | 'null' | 'braces' | 'nothing' | 204 | 400 | 404 | 416 | 422;
	/** Serves no more than so many entries of a list, as if that were its end. */
	window: number;
	/** Reads the bounds of messages as days, without their time, and leaves out those days themselves. */
	datesAreDays: boolean;
}

/** As the service documents it: 1,000 webhook calls per 60 seconds and team. */
export interface RateLimit {
	enabled: boolean;
	requests: number;
	windowMs: number;
	/** How a 429 says when to come back. */
	retryAfter: 'seconds' | 'none';
}

/**
 * Of events to the outside, the service's documentation says that they exist and no more. So everything here is this
 * stand-in's own invention.
 */
export interface EventSettings {
	/** Addresses that get the demo team's events without having subscribed; all events unless some are named. */
	subscriptions: Array<{ url: string; events?: string[] }>;
	/** Whether there is an endpoint at which clients subscribe. */
	endpoint: { enabled: boolean };
	/** How a delivery proves where it comes from. A subscription may have a secret of its own. */
	signing: { kind: 'none' | 'sharedSecret' | 'signature'; secret: string };
	/** How many further times each delivery is sent, as services do that are not sure. */
	duplicates: number;
}

/** All that can be set. */
export interface Settings {
	dialect: Dialect;
	rateLimit: RateLimit;
	/** Whether an agent answers what a webhook call was accepted for. */
	agent: { enabled: boolean };
	events: EventSettings;
	faults: Fault[];
	/** Delay of every answer. */
	latencyMs: number;
}

/** What is left out stays as it is. Lists are replaced as a whole. */
export type Patch<T> = T extends readonly unknown[]
	? T
	: T extends object
		? { [Key in keyof T]?: Patch<T[Key]> }
		: T;

export type SettingsPatch = Patch<Settings>;
export type EventSettingsPatch = Patch<EventSettings>;

export const defaultSettings: Settings = {
	dialect: {
		overrideNames: {
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
		maxPageSize: Infinity,
		ignorePage: false,
		beyondEnd: 'empty',
		window: Infinity,
		datesAreDays: false,
	},
	rateLimit: {
		enabled: true,
		requests: 1000,
		windowMs: 60_000,
		retryAfter: 'seconds',
	},
	agent: { enabled: true },
	events: {
		subscriptions: [],
		endpoint: { enabled: true },
		signing: { kind: 'none', secret: 'demo-webhook-secret' },
		duplicates: 0,
	},
	faults: [],
	latencyMs: 0,
};

/** Settings with a change; neither argument is changed. */
export function patched(settings: Settings, patch: SettingsPatch): Settings {
	const { dialect, rateLimit, agent, events } = settings;
	return {
		...settings,
		...patch,
		dialect: {
			...dialect,
			...patch.dialect,
			overrideNames: { ...dialect.overrideNames, ...patch.dialect?.overrideNames },
		},
		rateLimit: { ...rateLimit, ...patch.rateLimit },
		agent: { ...agent, ...patch.agent },
		events: {
			...events,
			...patch.events,
			endpoint: { ...events.endpoint, ...patch.events?.endpoint },
			signing: { ...events.signing, ...patch.events?.signing },
		},
	};
}
