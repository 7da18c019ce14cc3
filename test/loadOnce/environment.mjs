import { createRequire } from 'node:module';

import { TestEnvironment } from 'jest-environment-node';

/** Jest's own environment, with what `transform.mjs` needs. */
export default class extends TestEnvironment {
	constructor(...options) {
		super(...options);
		this.global.loadOnce = createRequire(import.meta.url);
		// What is an error for the libraries is one for the tests, and the other way round.
		Object.setPrototypeOf(this.global.Error.prototype, Error.prototype);
		this.global.Error = Error;
	}
}
