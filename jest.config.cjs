/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// Jest looks at every file below these when it starts: elsewhere there are those of two n8n.
	roots: ['<rootDir>/test'],
	// Hangs are to be found, not slow machines.
	testTimeout: 180_000,
	setupFiles: ['<rootDir>/test/seed.ts'],
	transform: { '\\.ts$': '@swc/jest' },
};
