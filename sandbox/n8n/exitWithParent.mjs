// Preloaded into n8n. The channel to the starter closes whichever way that process ends, even when
// it is killed: without this a crashed test run would leave an n8n behind. There is no gentle way
// any more: n8n would log its farewell into a closed pipe, over and over.
process.on('disconnect', () => {
	const ownGroup = process.platform !== 'win32';
	process.kill(ownGroup ? -process.pid : process.pid, 'SIGKILL');
});
process.channel?.unref();
