// Runs the checks and tests, in groups: `npm test`, or `npm test -- lint test/unit/trigger` for some
// groups, folders or files.
// The last line counts what really ran: each check is one, and so is each test.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { delimiter, join, relative, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';

import { setUpChromium } from './setup/chromium.mjs';
import { setUpN8n, setUpN8n1 } from './setup/n8n.mjs';
import { CACHE, ROOT } from './setup/paths.mjs';
import { setUpQueueMode } from './setup/queue.mjs';
import { StepError } from './setup/step.mjs';

/** The script behind a command of an installed package. */
function command(name, script) {
	return join(ROOT, 'node_modules', name, script);
}

const check = (title, script, args, env = {}) => ({ title, script, args, env });

const PROCESSORS = availableParallelism();

/** More than there are processors: tests wait for servers again and again. */
const MOST_WORKERS = PROCESSORS + 2;

const jest = (title, paths, { workers = 1, env = {}, needs = [] } = {}) => ({
	title,
	paths: paths.map((path) => `test/${path}`),
	/** How many files run at a time, beside those of other groups. */
	workers,
	env,
	/** What gets ready for these tests while others run already. */
	needs,
});

/** What is shown on n8n 1.x too. */
const ON_N8N_1 = [
	'install/installation',
	'e2e/operations',
	'e2e/memory',
	'e2e/executions',
	'e2e/responsive',
	'e2e/trigger.test',
	'e2e/triggerAddress',
];

const TSC = command('typescript', 'bin/tsc');

/** Files that begin with the same imports are no twins. */
const NO_TWINS = [
	...['--format', 'typescript,javascript', '--ignore-pattern', 'import [^;]*;', '--min-lines', '5'],
	...['--exit-code=1', '--fail-on-empty', '--no-colors', '--reporters', 'console'],
];

/** The groups in the order in which they run: first what is quick to fail, then what takes longest. */
const GROUPS = {
	lint: [
		check('Format', command('prettier', 'bin/prettier.cjs'), ['--check', '--log-level=warn', '.']),
		// n8n's linter takes the rules for node code from its own configuration, which has to stay as
		// it is; tests, sandbox and scripts have theirs in their folders.
		check('Lint', command('@n8n/node-cli', 'bin/n8n-node.mjs'), ['lint'], {
			ESLINT_FLAGS: 'v10_config_lookup_from_file',
		}),
		check('Directions of imports', command('dependency-cruiser', 'bin/dependency-cruiser.mjs'), [
			...['--config', '.dependency-cruiser.cjs', '--output-type', 'err'],
			...['benchmarks', 'credentials', 'nodes', 'sandbox', 'scripts', 'test'],
		]),
		check('No twins', command('jscpd', 'run-jscpd.js'), [
			...NO_TWINS,
			...['--ignore', '**/node_modules/**,**/api.types.ts', '--min-tokens', '50'],
			...['benchmarks', 'credentials', 'nodes', 'sandbox', 'scripts'],
		]),
		// Tests say what they test, if need be twice.
		check('No twins in the tests', command('jscpd', 'run-jscpd.js'), [
			...NO_TWINS,
			...['--min-tokens', '75', 'test'],
		]),
		check('Markdown', command('markdownlint-cli2', 'markdownlint-cli2-bin.mjs'), []),
		check('Links between the pages', command('remark-cli', 'cli.js'), [
			...['--frail', '--quiet', '--no-stdout', '--no-color'],
			...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs', 'examples'],
		]),
		check('Spelling', command('cspell', 'bin.mjs'), [
			...['--no-progress', '--no-color', '--cache', '--cache-location', '.cache/cspell'],
		]),
		check('Nothing unused', command('knip', 'bin/knip.js'), ['--no-progress']),
	],
	types: [
		check('Types of the package', TSC, ['--noEmit', '-p', '.']),
		check('Types of everything else', TSC, ['--noEmit', '-p', 'test']),
	],
	unit: [jest('Unit tests', ['unit/'], { workers: PROCESSORS })],
	service: [jest('Tests of the stand-in service', ['service/'])],
	contract: [jest('Contract tests', ['contract/'])],
	engine: [jest("Tests in n8n's engine", ['engine/'], { workers: 2 })],
	e2e: [jest('Tests in a real n8n', ['e2e/'], { workers: 2, needs: [setUpN8n] })],
	'n8n-1': [
		jest('Tests in n8n 1.x', ON_N8N_1, {
			env: { SANDBOX_N8N_VERSION: '1' },
			needs: [setUpN8n1],
		}),
	],
	install: [
		jest('Tests of the packed package', ['package/', 'install/'], {
			needs: [setUpN8n1],
		}),
	],
	browser: [jest("Tests of n8n's editor", ['browser/'], { needs: [setUpN8n, setUpChromium] })],
	queue: [
		jest("Tests in n8n's queue mode", ['queue/'], {
			needs: [setUpN8n, setUpQueueMode],
		}),
	],
};

async function runNode(args, { env = {}, output = 'inherit' } = {}) {
	const child = spawn(process.execPath, args, {
		cwd: ROOT,
		stdio: ['ignore', output, output],
		env: {
			...process.env,
			...env,
			// Before the machine's own Node.js, which may be too old.
			PATH: [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
		},
	});
	const end = () => child.kill();
	process.once('exit', end);
	const printed = [child.stdout, child.stderr].map(async (stream) =>
		stream ? await text(stream) : '',
	);
	const [status] = await once(child, 'exit');
	process.off('exit', end);
	return { status, printed: (await Promise.all(printed)).join('') };
}

/** Runs a check for each processor at a time, and shows what one printed when it has ended. */
async function runChecks(checks) {
	const waiting = [...checks];
	let failed = 0;
	const runOneByOne = async () => {
		for (let next; (next = waiting.shift()); ) {
			const started = Date.now();
			const { status, printed } = await runNode([next.script, ...next.args], {
				env: next.env,
				output: 'pipe',
			});
			if (status !== 0) failed++;
			console.log(`\n• ${next.title}`);
			if (printed.trim()) console.log(printed.trimEnd());
			console.log(`  ${status === 0 ? 'passed' : 'FAILED'} in ${secondsSince(started)} s`);
		}
	};
	await Promise.all(Array.from({ length: PROCESSORS }, runOneByOne));
	return { passed: checks.length - failed, failed };
}

/** Gets what these steps need one after the other, while others run already. Gives a promise for each. */
function startSetUps(groups) {
	const started = new Map();
	let last = Promise.resolve();
	for (const setUp of new Set(groups.flatMap(({ needs }) => needs))) {
		last = last.then(setUp, setUp);
		// Whoever needs it hears of its failure.
		last.catch(() => {});
		started.set(setUp, last);
	}
	return started;
}

/** Runs groups of tests in their order, each as soon as there are workers left for it. */
async function runSideBySide(groups, setUps) {
	const running = new Set();
	const total = { passed: 0, failed: 0 };
	let free = MOST_WORKERS;
	const run = async (group) => {
		console.log(`\n• ${group.title} …`);
		const started = Date.now();
		const { passed, failed } = await runJest(group, setUps);
		total.passed += passed;
		total.failed += failed;
		const outcome = failed === 0 ? 'passed' : 'FAILED';
		console.log(`\n• ${group.title} ${outcome} in ${secondsSince(started)} s`);
	};
	for (const group of groups) {
		while (group.workers > free && running.size > 0) await Promise.race(running);
		free -= group.workers;
		const ended = run(group).finally(() => {
			free += group.workers;
			running.delete(ended);
		});
		running.add(ended);
	}
	await Promise.all(running);
	return total;
}

async function runJest({ needs, ...group }, setUps) {
	try {
		for (const setUp of needs) await setUps.get(setUp);
		return await runTests(group);
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		console.error(`\n${error.message}`);
		return { passed: 0, failed: 1 };
	}
}

async function runTests({ title, paths, workers, env }) {
	const folder = join(CACHE, 'reports');
	const report = join(folder, `${title}.json`);
	mkdirSync(folder, { recursive: true });
	rmSync(report, { force: true });
	const { status } = await runNode(
		[
			// Some libraries are ES modules only, which Jest loads by way of this.
			'--experimental-vm-modules',
			'--disable-warning=ExperimentalWarning',
			command('jest', 'bin/jest.js'),
			...paths,
			workers === 1 ? '--runInBand' : `--maxWorkers=${workers}`,
			'--json',
			`--outputFile=${report}`,
		],
		{ env },
	);
	if (!existsSync(report)) return { passed: 0, failed: 1 };
	const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
		readFileSync(report, 'utf8'),
	);
	const failed = numFailedTests + numRuntimeErrorTestSuites;
	return { passed: numPassedTests, failed: status === 0 ? failed : Math.max(failed, 1) };
}

function secondsSince(started) {
	return Math.round((Date.now() - started) / 1000);
}

/** A file or folder by its path below the root. */
function pathOf(argument) {
	const path = relative(ROOT, resolve(ROOT, argument)).split(sep).join('/');
	const isFolder = statSync(join(ROOT, path), { throwIfNoEntry: false })?.isDirectory();
	return isFolder ? `${path}/` : path;
}

/** All steps, or those of the chosen groups and those that have tests at a chosen path, with just these. */
function stepsFor(chosen) {
	const all = Object.values(GROUPS).flat();
	const paths = chosen.filter((each) => !(each in GROUPS)).map(pathOf);
	const byStep = Map.groupBy(paths, (path) =>
		all.find((step) => step.paths?.some((each) => each.endsWith('/') && path.startsWith(each))),
	);
	const steps = Object.entries(GROUPS).flatMap(([group, each]) =>
		chosen.length === 0 || chosen.includes(group)
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
	const isCheck = (step) => 'script' in step;
	const [checks, groups] = [steps.filter(isCheck), steps.filter((step) => !isCheck(step))];
	const setUps = startSetUps(groups);
	const ofChecks = await runChecks(checks);
	const ofTests = await runSideBySide(groups, setUps);
	const passed = ofChecks.passed + ofTests.passed;
	const failed = ofChecks.failed + ofTests.failed;
	console.log(`\n${passed} passed, ${failed} failed`);
	return failed === 0 && passed > 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM']) {
	process.once(signal, () => process.exit(128 + constants.signals[signal]));
}
process.exitCode = await main(process.argv.slice(2));
