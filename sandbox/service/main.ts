import { parseArgs } from 'node:util';

import { startService, seeded } from './service.ts';

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: '8099' },
		messages: { type: 'string' },
		inboxes: { type: 'string' },
		templates: { type: 'string' },
		'base-path': { type: 'string', default: '' },
		help: { type: 'boolean', short: 'h', default: false },
	},
});

const usage = `Stand-in for the messaging service, on the loopback interface only.

  --port <n>        port, 0 for any free one (8099)
  --messages <n>    messages of the demo team (3000)
  --inboxes <n>     inboxes of the demo team (36)
  --templates <n>   templates of the demo team (48)
  --base-path <p>   mounts the service below a path, such as /api/v2
`;

if (values.help) {
	console.log(usage);
} else {
	const service = await startService({
		port: toCount(values.port),
		messages: toCount(values.messages),
		inboxes: toCount(values.inboxes),
		templates: toCount(values.templates),
		dialect: { basePath: values['base-path'] },
	});
	console.log(`Messaging service at ${service.url}`);
	for (const { name, apiKey, webhookIds } of [seeded.demo, seeded.second, seeded.empty]) {
		console.log(`  ${name}: apiKey ${apiKey}, webhook ${webhookIds[0]}`);
	}
	console.log(`  One-time password: ${seeded.otpTokens.valid[0]}`);
	console.log(`  Control: ${service.origin}/__control/state`);

	const stop = () => void service.close();
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

function toCount(value: string | undefined): number | undefined {
	if (value === undefined) return undefined;
	if (!/^\d+$/.test(value)) throw new TypeError(`Not a number: ${value}`);
	return Number(value);
}
