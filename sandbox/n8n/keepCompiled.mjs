// Preloaded into n8n. Node.js writes what it has compiled only when it ends by itself, but tests kill n8n.
import module from 'node:module';

/** By then n8n has usually started. */
const DELAY_MS = 10_000;

// Node.js 20, for old versions of n8n, cannot do it.
setTimeout(() => module.flushCompileCache?.(), DELAY_MS).unref();
