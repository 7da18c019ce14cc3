import type { IExecuteFunctions } from 'n8n-workflow';

/** Modes in which n8n runs a workflow because somebody asked for it in the editor. */
const BY_HAND: unknown[] = ['manual', 'evaluation'];

/**
 * Whether somebody started this execution in the editor, or retries one that was started there. Undefined for a retry
 * if n8n does not tell how the original execution was started.
 */
export function isStartedByHand(context: IExecuteFunctions): boolean | undefined {
	const mode = context.getMode();
	if (mode !== 'retry') return BY_HAND.includes(mode);
	const source = context.getExecutionContext?.()?.source;
	return source === undefined ? undefined : BY_HAND.includes(source);
}
