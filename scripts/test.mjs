// Runs the checks and tests, in groups: `npm test`, or `npm test -- lint test/unit/trigger` for some
// groups, folders or files. What takes long runs only where it is named: `npm test -- full`.
// The last line counts what really ran: each check is one, and so is each test.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

import { setUpChromium, setUpN8n, setUpN8n1, setUpQueueMode } from './setup/needs.mjs';
import { CACHE, LINT_ENV, ROOT } from './setup/paths.mjs';

const PROCESSORS = availableParallelism();
/** How many steps run at a time: one more than there are processors, since tests wait for servers again and again. */
const LANES = PROCESSORS + 1;
const MODULES = join(ROOT, 'node_modules');
const REPORTS = join(CACHE, 'reports');

/** What random tests draw from: always the same, unless the environment variable gives a number, or asks for `random`. */
const { SEED = '1' } = process.env;
process.env.SEED = SEED === 'random' ? String(randomInt(2 ** 31)) : SEED;

/** A check passes if its script ends without an error; what it printed is shown at its end. */
const check = (title, script, args, env = {}) => ({
	title,
	run: () => runCheck([join(MODULES, script), ...args], env),
});

/**
 * Tests below these folders or files in test/.
 *
 * @param options.workers how many files run at a time; each worker costs processor time of its own
 * @param options.setUp gets ready what these tests need, while others run already
 */
const tests = (title, paths, { workers = 1, env = {}, setUp } = {}) => ({
	title,
	paths: paths.map((path) => `test/${path}`),
	run: (step) => runTests(step, env),
	workers,
	setUp,
});

/** Files that begin with the same imports are no twins. */
const twins = (title, ...args) =>
	check(title, 'jscpd/run-jscpd.js', [
		...['--format', 'typescript,javascript', '--ignore-pattern', 'import [^;]*;'],
		...['--min-lines', '5', '--exit-code=1', '--fail-on-empty', '--no-colors'],
		...['--reporters', 'console', ...args],
	]);

const AROUND = ['benchmarks', 'credentials', 'nodes', 'sandbox', 'scripts'];

async function setUpQueueModeOfN8n1() {
	await setUpQueueMode();
	await setUpN8n1();
}

/** What is shown on n8n 1.x too: what depends on how n8n receives, remembers and tries again. */
const ON_N8N_1 = ['e2e/n8n.test.ts'];

/** The groups in the order in which they begin: first what is quick to fail, then what takes longest. */
const GROUPS = {
	lint: [
		check('Format', 'prettier/bin/prettier.cjs', [
			...['--check', '--log-level=warn', '--cache', '--cache-location', '.cache/prettier', '.'],
		]),
		// n8n's linter takes the rules for node code from its own configuration, which has to stay as
		// it is; tests, sandbox and scripts have theirs in their folders.
		check('Lint', '@n8n/node-cli/bin/n8n-node.mjs', ['lint'], LINT_ENV),
		check('Directions of imports', 'dependency-cruiser/bin/dependency-cruiser.mjs', [
			...['--config', '.dependency-cruiser.cjs', '--output-type', 'err', ...AROUND, 'test'],
		]),
		twins(
			'No twins',
			...['--ignore', '**/node_modules/**,**/api.types.ts,**/countryCodes.ts'],
			...['--min-tokens', '50', ...AROUND],
		),
		// Tests say what they test, if need be twice.
		twins('No twins in the tests', '--min-tokens', '75', 'test'),
		check('Markdown', 'markdownlint-cli2/markdownlint-cli2-bin.mjs', []),
		check('Links between the pages', 'remark-cli/cli.js', [
			...['--frail', '--quiet', '--no-stdout', '--no-color'],
			...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs', 'examples'],
		]),
		check('Spelling', 'cspell/bin.mjs', [
			...['--no-progress', '--no-color', '--cache', '--cache-location', '.cache/cspell'],
		]),
		check('Nothing unused', 'knip/bin/knip.js', ['--no-progress']),
	],
	// The build has checked those of the package by the settings that it ships with.
	types: [
		check('Types', 'typescript/bin/tsc', [
			...['--noEmit', '-p', 'test', '--incremental', '--tsBuildInfoFile', '.cache/types'],
		]),
	],
	e2e: [tests('Tests in a real n8n', ['e2e/'], { workers: 2, setUp: setUpN8n })],
	queue: [tests("Tests in n8n's queue mode", ['queue/'], { setUp: setUpQueueMode })],
	engine: [tests("Tests in n8n's engine", ['engine/'], { workers: 2 })],
	install: [tests('Tests of the packed package', ['package/', 'install/'], { setUp: setUpN8n })],
	browser: [tests("Tests of n8n's editor", ['browser/'], { setUp: setUpChromium })],
	'n8n-1': [
		tests('Tests in n8n 1.x', ON_N8N_1, {
			env: { SANDBOX_N8N_VERSION: '1' },
			setUp: setUpN8n1,
		}),
	],
	unit: [tests('Unit tests', ['unit/'], { workers: PROCESSORS })],
	contract: [tests('Tests of the contract and the stand-in', ['contract/', 'service/'])],
	full: [
		tests('What takes long', ['full/'], { setUp: setUpQueueMode }),
		tests('What takes long, in n8n 1.x', ['full/'], {
			env: { SANDBOX_N8N_VERSION: '1' },
			setUp: setUpQueueModeOfN8n1,
		}),
	],
};

/** The groups that run only where they are named. */
const ON_DEMAND = ['full'];

/** Runs a script with this Node.js, and gives its exit code and what it printed if that is piped. */
async function runNode(args, env, output) {
	const child = spawn(process.execPath, args, {
		cwd: ROOT,
		stdio: ['ignore', output, output],
		// Before the machine's own Node.js, which may be too old.
		env: {
			...process.env,
			...env,
			// What Node.js has compiled is there for the next run.
			NODE_COMPILE_CACHE: join(CACHE, 'compiled'),
			PATH: [join(MODULES, '.bin'), process.env.PATH].join(delimiter),
		},
	});
	const end = () => child.kill();
	process.once('exit', end);
	const printed = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : ''));
	const [status] = await once(child, 'exit');
	process.off('exit', end);
	return { status, printed: (await Promise.all(printed)).join('').trimEnd() };
}

async function runCheck(args, env) {
	const { status, printed } = await runNode(args, env, 'pipe');
	return status === 0 ? { passed: 1, failed: 0, printed } : { passed: 0, failed: 1, printed };
}

async function runTests({ title, paths, workers }, env) {
	const report = join(REPORTS, `${title}.json`);
	mkdirSync(REPORTS, { recursive: true });
	rmSync(report, { force: true });
	const args = [
		// Some libraries are ES modules only, which Jest loads by way of this.
		'--experimental-vm-modules',
		'--disable-warning=ExperimentalWarning',
		join(MODULES, 'jest/bin/jest.js'),
		...paths,
		workers === 1 ? '--runInBand' : `--maxWorkers=${workers}`,
		'--json',
		`--outputFile=${report}`,
	];
	const { status } = await runNode(args, env, 'inherit');
	if (!existsSync(report)) return { passed: 0, failed: 1 };
	const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
		readFileSync(report, 'utf8'),
	);
	const failed = numFailedTests + numRuntimeErrorTestSuites;
	return { passed: numPassedTests, failed: status === 0 ? failed : Math.max(failed, 1) };
}

/** Runs a step; without what it needs, it has failed. */
async function runStep(step, problem) {
	if (step.paths) console.log(`\n• ${step.title} …`);
	const started = Date.now();
	const result = problem
		? { passed: 0, failed: 1, printed: problem.message }
		: await step.run(step);
	const outcome = result.failed === 0 ? 'passed' : 'FAILED';
	const seconds = Math.round((Date.now() - started) / 1000);
	const printed = result.printed ? `${result.printed}\n` : '';
	console.log(`\n${printed}• ${step.title} ${outcome} in ${seconds} s`);
	return result;
}

/**
 * Runs steps in their order, some at a time. What they need is set up one after the other, from the start; meanwhile
 * those that need no more go first.
 */
async function runSteps(steps) {
	const total = { passed: 0, failed: 0 };
	const waiting = [...steps];
	const problems = new Map();
	const over = new Set([undefined]);
	let prepared = Promise.resolve();
	for (const setUp of new Set(steps.flatMap((step) => step.setUp ?? []))) {
		prepared = prepared
			.then(setUp)
			// What comes of it: nothing, or the error that says why it did not work.
			.then(
				() => undefined,
				(error) => error,
			)
			.finally(() => over.add(setUp));
		problems.set(setUp, prepared);
	}
	const lane = async () => {
		while (waiting.length > 0) {
			const ready = waiting.findIndex(({ setUp }) => over.has(setUp));
			const [step] = waiting.splice(Math.max(ready, 0), 1);
			const { passed, failed } = await runStep(step, await problems.get(step.setUp));
			total.passed += passed;
			total.failed += failed;
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	return total;
}

/** All steps, or those of the chosen groups and those that have tests at a chosen path, with just these. */
function stepsFor(chosen) {
	const all = Object.values(GROUPS).flat();
	const paths = chosen.filter((each) => !(each in GROUPS));
	const isIn = (path, folder) => folder.endsWith('/') && `${path}/`.startsWith(folder);
	const byStep = Map.groupBy(paths, (path) =>
		all.find((step) => step.paths?.some((folder) => isIn(path, folder))),
	);
	const steps = Object.entries(GROUPS).flatMap(([group, each]) =>
		chosen.includes(group) || (chosen.length === 0 && !ON_DEMAND.includes(group))
			? each
			: each.flatMap((step) => (byStep.has(step) ? [{ ...step, paths: byStep.get(step) }] : [])),
	);
	return { steps, unknown: byStep.get(undefined) ?? [] };
}

async function main(chosen) {
	const { steps, unknown } = stepsFor(chosen);
	if (unknown.length > 0) {
		console.error(
			`There are no tests ${unknown.join(', ')}. Choose files or folders of them, or from: ${Object.keys(GROUPS).join(', ')}`,
		);
		return 2;
	}
	console.log(`Random tests draw from SEED=${process.env.SEED}`);
	const { passed, failed } = await runSteps(steps);
	console.log(`\n${passed} passed, ${failed} failed`);
	return failed === 0 && passed > 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) {
	process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
process.exitCode = await main(process.argv.slice(2));
