import { parseArgs } from 'node:util';

const KEY_VARIABLE = 'MESSAGING_SERVICE_API_KEY';

export const USAGE = `Starts n8n with the Messaging Service nodes, a stand-in for the service and examples to try.

Usage: npm start -- [options]

  --port <number>          port of n8n (5678 unless taken)
  --service-port <number>  port of the stand-in (8099 unless taken)
  --fresh                  forget what was changed in n8n since the first start
  --once                   run every example, print what each node did, and stop
  --base-url <address>     use a real service instead of the stand-in; its key is read from the
                           environment variable ${KEY_VARIABLE}.
                           Examples that wait for its events are left out.
  --yes-send               with --once and --base-url: also run examples that send or change
                           something. This texts real people.
  --help                   show this
`;

/** The real service to use, if not the stand-in. */
interface RealService {
	url: string;
	apiKey: string;
}

export interface Options {
	help: boolean;
	once: boolean;
	fresh: boolean;
	yesSend: boolean;
	port: number;
	servicePort: number;
	realService?: RealService;
}

/** The command line or the environment is not as it should be. */
export class UsageError extends Error {}

function parsePort(option: string, value: string): number {
	const port = Number(value);
	if (!/^\d+$/.test(value) || port < 1 || port > 65_535) {
		throw new UsageError(`${option} takes a number from 1 to 65535, not "${value}".`);
	}
	return port;
}

function parseBaseUrl(value: string): string {
	if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
		throw new UsageError(
			`--base-url takes an address such as https://api.example.com, not "${value}".`,
		);
	}
	return value;
}

function parseRealService(
	baseUrl: string | undefined,
	environment: NodeJS.ProcessEnv,
): RealService | undefined {
	if (baseUrl === undefined) return undefined;
	const url = parseBaseUrl(baseUrl);
	const apiKey = environment[KEY_VARIABLE];
	if (!apiKey) {
		throw new UsageError(
			`--base-url needs the team's API key in the environment variable ${KEY_VARIABLE}. ` +
				'Generate one in the API section of the team settings.',
		);
	}
	return { url, apiKey };
}

function parse(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				help: { type: 'boolean', default: false },
				once: { type: 'boolean', default: false },
				fresh: { type: 'boolean', default: false },
				'yes-send': { type: 'boolean', default: false },
				port: { type: 'string', default: '5678' },
				'service-port': { type: 'string', default: '8099' },
				'base-url': { type: 'string' },
			},
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

/** Reads the command line; the key comes from the environment so that it is in no shell history. */
export function parseOptions(args: string[], environment: NodeJS.ProcessEnv): Options {
	const values = parse(args);
	return {
		help: values.help,
		once: values.once,
		fresh: values.fresh,
		yesSend: values['yes-send'],
		port: parsePort('--port', values.port),
		servicePort: parsePort('--service-port', values['service-port']),
		// Help must be there for someone who has no key yet.
		realService: values.help ? undefined : parseRealService(values['base-url'], environment),
	};
}
