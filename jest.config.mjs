/** What takes long to load. The node itself is loaded anew for each test file, with all that it remembers. */
const LIBRARIES = ['ajv', 'ajv-formats', 'n8n-core', 'n8n-workflow', 'yaml'];

/** @type {import('jest').Config} */
export default {
	// Jest looks at every file below these when it starts: elsewhere there are those of two n8n.
	roots: ['<rootDir>/test'],
	// Hangs are to be found, not slow machines.
	testTimeout: 180_000,
	setupFiles: ['<rootDir>/test/seed.ts'],
	testEnvironment: '<rootDir>/test/loadOnce/environment.mjs',
	transform: {
		'\\.ts$': '@swc/jest',
		[`/node_modules/(${LIBRARIES.join('|')})/`]: '<rootDir>/test/loadOnce/transform.mjs',
	},
	transformIgnorePatterns: [],
};
