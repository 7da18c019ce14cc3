// For the tests of a mutant: one counterexample is enough, the next run has to try the same cases, and most wrong
// code is found by the first of them.
import { configureGlobal } from 'fast-check';

configureGlobal({ endOnFailure: true, seed: 1, interruptAfterTimeLimit: 700 });
