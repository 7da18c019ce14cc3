import type { OperationId } from './contract.ts';
import type { FaultKind } from './faults.ts';
import { handlers } from './handlers/index.ts';
import type { Settings } from './settings.ts';

type Schema = Record<string, unknown>;

const oneOf = (...values: unknown[]): Schema => ({ enum: values });
const integer = (minimum: number): Schema => ({ type: 'integer', minimum });
const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };

function closedObject(properties: Record<string, Schema>): Schema {
	return { type: 'object', additionalProperties: false, properties };
}

/** Every setting must have a schema, so a new one cannot be forgotten here. */
function patchOf<Section extends object>(properties: { [Key in keyof Section]-?: Schema }): Schema {
	return closedObject(properties);
}

const operationIds: OperationId[] = Object.keys(handlers).filter(
	(id): id is OperationId => id in handlers,
);

const faultKinds: { [Kind in FaultKind['kind']]: true } = {
	dropBefore: true,
	dropAfter: true,
	dropMidBody: true,
	status: true,
	tooManyRequests: true,
	html: true,
	truncatedJson: true,
	emptyBody: true,
	wrongShape: true,
	neverAnswer: true,
	redirect: true,
	delay: true,
};

const requiredWith = (kind: FaultKind['kind'], ...required: string[]): Schema => ({
	if: { properties: { kind: { const: kind } } },
	then: { required },
});

const faultSchema: Schema = {
	type: 'object',
	required: ['kind'],
	additionalProperties: false,
	properties: {
		kind: oneOf(...Object.keys(faultKinds)),
		status: oneOf(500, 502, 503, 504, 301, 302, 303, 307, 308),
		processed: flag,
		retryAfterMs: integer(0),
		body: {},
		location: text,
		ms: integer(0),
		operations: { anyOf: [oneOf('all'), { type: 'array', items: oneOf(...operationIds) }] },
		requests: {
			anyOf: [
				{ ...closedObject({ first: integer(1) }), required: ['first'] },
				{ ...closedObject({ every: integer(1) }), required: ['every'] },
				{ ...closedObject({ from: integer(1) }), required: ['from'] },
				{ ...closedObject({ exactly: integer(1) }), required: ['exactly'] },
				{
					...closedObject({ probability: { type: 'number' }, seed: integer(0) }),
					required: ['probability'],
				},
			],
		},
	},
	allOf: [
		requiredWith('status', 'status'),
		requiredWith('redirect', 'location'),
		requiredWith('delay', 'ms'),
	],
};

/** Body of `POST /__control/settings`: the `SettingsPatch` of settings.ts. */
export const settingsPatchSchema = patchOf<Settings>({
	dialect: patchOf<Settings['dialect']>({
		customNames: patchOf<Settings['dialect']['customNames']>({
			connectorSegment: text,
			inboxIdsParameter: text,
			inboxIdsFormat: oneOf('repeat', 'brackets', 'comma'),
			afterParameter: text,
			beforeParameter: text,
			dateFormat: oneOf('iso', 'unixSeconds', 'unixMilliseconds'),
			limitParameter: text,
			pageParameter: text,
		}),
		basePath: { type: 'string', pattern: '^(/[^/?#]+)*$' },
		links: oneOf('absolute', 'relative', 'none', 'foreign'),
		endLinks: oneOf('empty', 'omitted'),
		firstPage: oneOf(0, 1),
		total: oneOf('right', 'missing', 'tooSmall', 'tooLarge'),
		defaultPageSize: integer(1),
		maxPageSize: { anyOf: [integer(1), { type: 'null' }] },
		ignorePage: flag,
		repeatLastPage: flag,
		drift: integer(0),
	}),
	rateLimit: patchOf<Settings['rateLimit']>({
		enabled: flag,
		requests: integer(1),
		windowMs: integer(1),
		window: oneOf('fixed', 'sliding'),
		retryAfter: oneOf('seconds', 'httpDate', 'none'),
	}),
	agent: patchOf<Settings['agent']>({ enabled: flag, delayMs: integer(0) }),
	faults: { type: 'array', items: faultSchema },
	latencyMs: integer(0),
});

/** Body of `POST /__control/reset`. */
export const resetSchema: Schema = {
	...closedObject({ parts: { type: 'array', items: oneOf('data', 'settings', 'log') } }),
	type: ['object', 'null'],
};

/** Body of `POST /__control/messages`. */
export const inboundMessageSchema = closedObject({
	apiKey: text,
	inboxId: text,
	phone: text,
	body: text,
});
