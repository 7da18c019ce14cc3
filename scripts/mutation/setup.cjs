// For the tests of a mutant: one counterexample is enough, and the next run has to try the same cases.
const fc = require('fast-check');

fc.configureGlobal({ endOnFailure: true, seed: 1 });
