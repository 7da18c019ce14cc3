import { constants } from 'node:os';

/** Aborts on the first Ctrl-C or request to end; more of them do not hurry the clean-up. */
export function endSignal(): AbortSignal {
	const controller = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(name, () => controller.abort(name));
	}
	return controller.signal;
}

/** What shells see of a command that a signal broke off. */
export const exitCodeOf = (name: keyof typeof constants.signals) => 128 + constants.signals[name];
