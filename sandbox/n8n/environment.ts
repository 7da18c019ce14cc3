import { delimiter, dirname, join } from 'node:path';

import { CACHE } from './paths.ts';
import { LOOPBACK } from './ports.ts';

/** What n8n needs from the outside. All else (a user's own N8N_* and DB_* settings) stays out. */
const INHERITED = [
	'PATH',
	'HOME',
	'USERPROFILE',
	'SystemRoot',
	'TMPDIR',
	'TEMP',
	'TMP',
	'LANG',
	'HTTP_PROXY',
	'HTTPS_PROXY',
	'NO_PROXY',
	'NODE_EXTRA_CA_CERTS',
];

/** No telemetry, no look-ups on the internet, no dialogs in front of the editor. */
const QUIET_AND_OFFLINE = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
};

export interface Addresses {
	userFolder: string;
	port: number;
	brokerPort: number;
}

function inherited(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		INHERITED.flatMap((name) => {
			const value = process.env[name];
			return value === undefined ? [] : [[name, value]];
		}),
	);
}

/** The environment of a hermetic n8n that is reachable from this machine only. */
export function n8nEnvironment(
	{ userFolder, port, brokerPort }: Addresses,
	node: string,
	overrides: Record<string, string> = {},
): NodeJS.ProcessEnv {
	const base = inherited();
	return {
		...base,
		// n8n starts its task runner with the first `node` it finds.
		PATH: [dirname(node), base.PATH].filter(Boolean).join(delimiter),
		...QUIET_AND_OFFLINE,
		GENERIC_TIMEZONE: 'UTC',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		N8N_HOST: LOOPBACK,
		N8N_LISTEN_ADDRESS: LOOPBACK,
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: LOOPBACK,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		// Plain http on the own machine: browsers would drop a secure cookie.
		N8N_SECURE_COOKIE: 'false',
		N8N_USER_FOLDER: userFolder,
		// What Node.js has compiled is there for the next start.
		NODE_COMPILE_CACHE: join(CACHE, 'compiled'),
		// In development mode, n8n would let the pages of any website read its answers.
		NODE_ENV: 'production',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		...overrides,
	};
}
