// Which way imports may run: `npm run lint` checks it.

const NODE = '^nodes/MessagingService/';
const API = `${NODE}api/`;
const PANEL = `${NODE}panel/`;
const CONTACTS = `${NODE}contacts/`;
const N8N_WORKFLOW = '(^|/)node_modules/n8n-workflow/';

/** The parts of each layer, from top to bottom: imports may run down, never up. */
const LAYERS = [
	{ node: `${NODE}[^/]+\\.node\\.ts$` },
	{ run: `${NODE}run/`, trigger: `${NODE}trigger/`, polling: `${NODE}polling/` },
	{ once: `${NODE}once/` },
	{ operations: `${NODE}operations/` },
	{ panel: PANEL },
	{ n8n: `${NODE}n8n/` },
	{ words: `${NODE}words/` },
	{ api: API, contacts: CONTACTS },
];

/** A part imports neither the layers above it nor its neighbours. */
const downward = LAYERS.flatMap((layer, depth) =>
	Object.entries(layer).map(([name, path]) => ({
		name: `from-${name}-downward`,
		severity: 'error',
		from: { path },
		to: {
			path: LAYERS.slice(0, depth + 1)
				.flatMap((each) => Object.values(each))
				.filter((each) => each !== path),
		},
	})),
).filter(({ to }) => to.path.length > 0);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{ name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
		{ name: 'no-broken-imports', severity: 'error', from: {}, to: { couldNotResolve: true } },
		...downward,
		{
			name: 'every-file-has-a-layer',
			severity: 'error',
			from: {},
			to: { path: '^nodes/.+\\.ts$', pathNot: LAYERS.flatMap((layer) => Object.values(layer)) },
		},
		{
			name: 'api-stands-alone',
			severity: 'error',
			from: { path: API },
			to: { pathNot: [API, N8N_WORKFLOW, '^(node:)?crypto$'] },
		},
		{
			name: 'api-knows-only-types-of-n8n',
			severity: 'error',
			from: { path: API },
			to: { path: N8N_WORKFLOW, dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'contacts-import-nothing',
			severity: 'error',
			from: { path: CONTACTS },
			to: { pathNot: CONTACTS },
		},
		{
			name: 'credentials-know-only-their-fields-and-the-api',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: '^nodes/', pathNot: [API, PANEL] },
		},
		{
			name: 'the-package-stands-alone',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(benchmarks|sandbox|scripts|test)/' },
		},
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		// Type-only imports count too, and are told apart.
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'test/tsconfig.json' },
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default', 'types'],
			extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
		},
	},
};
