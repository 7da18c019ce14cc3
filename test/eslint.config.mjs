// Tests, the sandbox and scripts run in plain Node.js, so the rules for node code (no `process`, no
// built-in modules, only the libraries that n8n allows) do not apply to them.
import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{ ignores: ['**/dist/**', '**/node_modules/**'] },
	js.configs.recommended,
	tseslint.configs.strict,
	{
		languageOptions: { globals: globals.node },
		rules: {
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-non-null-assertion': 'error',
			'no-duplicate-imports': 'error',
			'no-console': 'off',
		},
	},
);
