// Preloaded into n8n.
import module from 'node:module';

// The channel to the starter closes whichever way that process ends, even when it is killed: without this a crashed
// test run would leave an n8n behind. There is no gentle way any more: n8n would log its farewell into a closed pipe,
// over and over.
process.on('disconnect', () => {
	const ownGroup = process.platform !== 'win32';
	process.kill(ownGroup ? -process.pid : process.pid, 'SIGKILL');
});
process.channel?.unref();

// Node.js writes what it has compiled only when it ends by itself, but tests kill n8n. By then it has usually started.
// (Node.js 20, for old versions of n8n, cannot do it.)
setTimeout(() => module.flushCompileCache?.(), 10_000).unref();
