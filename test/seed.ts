import fc from 'fast-check';

/** All random tests draw from the seed in the environment variable SEED; see `scripts/test.mjs`. */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });
