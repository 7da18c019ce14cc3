/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// Hangs are to be found, not slow machines.
	testTimeout: 180_000,
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.cache/'],
	transform: { '\\.ts$': '@swc/jest' },
};
