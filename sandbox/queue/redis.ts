import { LOOPBACK } from '../n8n/ports.ts';
import { Program } from './program.ts';

/** A Redis that keeps its data in a folder, as one that n8n's queue depends on should; not started yet. */
export function createRedis(folder: string, port: number): Program {
	const command = [
		'redis-server',
		...['--bind', LOOPBACK],
		...['--port', String(port)],
		...['--dir', folder],
		...['--appendonly', 'yes'],
	];
	return new Program(command, {
		name: 'Redis',
		ready: 'Ready to accept connections',
		advice: 'If it is not installed: sudo apt-get install redis-server.',
	});
}

/** What n8n has to know to use it. */
export function redisSettings(port: number): Record<string, string> {
	return { QUEUE_BULL_REDIS_HOST: LOOPBACK, QUEUE_BULL_REDIS_PORT: String(port) };
}
