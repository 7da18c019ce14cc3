import usual from '../../jest.config.cjs';

/** What takes long to load. The node itself is loaded anew for each test file, with all that it remembers. */
const LIBRARIES = ['ajv', 'ajv-formats', 'n8n-core', 'n8n-workflow', 'yaml'];

/** @type {import('jest').Config} */
export default {
	...usual,
	rootDir: '../..',
	testEnvironment: '<rootDir>/test/loadOnce/environment.mjs',
	transform: {
		...usual.transform,
		[`/node_modules/(${LIBRARIES.join('|')})/`]: '<rootDir>/test/loadOnce/transform.mjs',
	},
	transformIgnorePatterns: [],
};
