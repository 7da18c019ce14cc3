/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	modulePathIgnorePatterns: ['<rootDir>/dist/'],
	transform: { '\\.ts$': '@swc/jest' },
};
