import type { IExecuteFunctions } from 'n8n-workflow';
import { asObject } from '../api/json';

/** The data of the first step of an execution: when it began, and what it gave. All retries of an execution have the same. */
export function firstStepOf(context: IExecuteFunctions): unknown {
	const [firstStep] = Object.values(asObject(resultOf(context).runData));
	return firstStep;
}

/**
 * Whether the execution that this one retries was stopped, or n8n was killed during it. Then its data are those from its
 * beginning: with an error beside it, or with entries that n8n has made up from its log.
 */
export function retriesCutOff(context: IExecuteFunctions): boolean {
	if (context.getMode() !== 'retry') return false;
	const { error, runData } = resultOf(context);
	return error !== undefined || Object.values(asObject(runData)).flat().some(isMadeUp);
}

/** Whether n8n has made up what a step gave. */
function isMadeUp(step: unknown): boolean {
	const [item] = [asObject(asObject(step).data).main].flat(2);
	return asObject(asObject(item).json).isArtificialRecoveredEventItem === true;
}

/** What the execution has got so far, including what a retry got from the retried one. */
function resultOf(context: IExecuteFunctions): Record<string, unknown> {
	const data = 'runExecutionData' in context ? asObject(context.runExecutionData) : {};
	return asObject(data.resultData);
}
