// Preloaded into n8n. Node.js writes what it has compiled only when it ends by itself, but tests kill n8n.
import { flushCompileCache } from 'node:module';

/** By then n8n has usually started. */
const DELAY_MS = 10_000;

setTimeout(flushCompileCache, DELAY_MS).unref();
