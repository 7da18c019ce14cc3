import Type, { type Static } from 'typebox';
import Value from 'typebox/value';

import { eventSettingsSchema } from './events/settings.ts';
import { faultSchema } from './faults.ts';
import { choice, closed, count, flag, text, type Patch } from './schema.ts';

/** What a deployment may spell differently; the defaults are those of openapi.yaml. */
const customNamesSchema = closed({
	connectorSegment: text('telephony'),
	inboxIdsParameter: text('inboxIds'),
	inboxIdsFormat: choice('repeat', 'brackets', 'comma'),
	afterParameter: text('startDate'),
	beforeParameter: text('endDate'),
	dateFormat: choice('iso', 'unixSeconds', 'unixMilliseconds'),
	limitParameter: text('limit'),
	pageParameter: text('page'),
});

/** How this deployment speaks: everything interface.md leaves open, and what servers get wrong. */
const dialectSchema = closed({
	customNames: customNamesSchema,
	/** Mounts the service below a path, such as `/api/v2`. */
	basePath: Type.String({ pattern: '^(/[^/?#]+)*$', default: '' }),
	links: choice('absolute', 'relative', 'none', 'foreign'),
	/** What `links.next` and `links.prev` are where there is no such page. */
	endLinks: choice('empty', 'omitted'),
	firstPage: choice(1, 0),
	total: choice('right', 'missing', 'tooSmall', 'tooLarge'),
	/** Page size when the request names none. */
	defaultPageSize: count(20, 1),
	/** Serves at most this many, whatever was asked for, without an error. Null for no such cap. */
	maxPageSize: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { default: null }),
	/** Always serves the first page. */
	ignorePage: flag(false),
	/** Serves the last page again beyond the end. */
	repeatLastPage: flag(false),
	/** So many messages arrive before every message page but the first. */
	drift: count(0),
});

/** Limits section of interface.md: 1,000 webhook calls per 60 seconds and team. */
const rateLimitSchema = closed({
	enabled: flag(true),
	requests: count(1000, 1),
	windowMs: count(60_000, 1),
	window: choice('fixed', 'sliding'),
	/** How a 429 says when to come back. */
	retryAfter: choice('seconds', 'httpDate', 'none'),
});

/** The pipeline run that follows an accepted webhook call. */
const agentSchema = closed({
	enabled: flag(true),
	/** Time between the 202 and the agent's message. */
	delayMs: count(25),
});

/** All that can be set, with its defaults. */
export const settingsSchema = closed({
	dialect: dialectSchema,
	rateLimit: rateLimitSchema,
	agent: agentSchema,
	/** Events to the outside, which are not part of the documented interface. */
	events: eventSettingsSchema,
	faults: Type.Array(faultSchema, { default: [] }),
	/** Delay of every answer. */
	latencyMs: count(0),
});

export type CustomNames = Static<typeof customNamesSchema>;
export type Dialect = Static<typeof dialectSchema>;
export type RateLimit = Static<typeof rateLimitSchema>;
export type AgentSettings = Static<typeof agentSchema>;
export type Settings = Static<typeof settingsSchema>;
export type SettingsPatch = Patch<Settings>;

export const defaultSettings: Settings = Value.Create(settingsSchema);
