import jest from './jest.config.cjs';

const NODE = 'nodes/MessagingService';
const FOLDERS = ['api', 'run/once', 'trigger/verification'];

/**
 * Mutation testing of these folders with unit tests: `npm run mutate`, or
 * `npm run mutate -- --mutate <file>`.
 */
export default {
	mutate: FOLDERS.flatMap((folder) => [
		`${NODE}/${folder}/**/*.ts`,
		`!${NODE}/${folder}/**/*.types.ts`,
	]),
	plugins: ['@stryker-mutator/jest-runner', './scripts/mutation/panelWords.mjs'],
	ignorers: ['panel-words'],
	testRunner: 'jest',
	testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
	jest: {
		config: {
			...jest,
			// Lists are read in whole by the operations.
			testMatch: [`<rootDir>/test/unit/{${FOLDERS.join(',')},resources}/**/*.test.ts`],
			setupFiles: ['<rootDir>/scripts/mutation/setup.ts'],
		},
	},
	coverageAnalysis: 'perTest',
	// Values of a module's top level take a run of all tests each.
	ignoreStatic: true,
	concurrency: 2,
	// A mutant that hangs counts as killed, one that a busy machine is slow with must not.
	timeoutMS: 30_000,
	dryRunTimeoutMinutes: 15,
	incremental: true,
	incrementalFile: '.cache/mutation/incremental.json',
	tempDirName: '.cache/mutation/sandbox',
	cleanTempDir: 'always',
	ignorePatterns: ['/dist', '/docs', '/.cache'],
	reporters: ['clear-text', 'progress', 'html'],
	htmlReporter: { fileName: '.cache/mutation/report.html' },
	clearTextReporter: { allowColor: false, reportTests: false, skipFull: true },
	thresholds: { high: 95, low: 90, break: 85 },
};
