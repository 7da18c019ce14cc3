// For the tests of a mutant: one counterexample is enough, and the next run has to try the same cases.
import { configureGlobal } from 'fast-check';

configureGlobal({ endOnFailure: true, seed: 1 });
