import type { IExecuteFunctions } from 'n8n-workflow';
import { asObject } from '../api/json';

/** The first step of an execution: when it began, and what it gave. All retries of an execution have the same. */
export function firstStepOf(context: IExecuteFunctions): unknown {
	const steps = stepsOf(context).map(asObject);
	// Not the first one by name: JavaScript puts names that are numbers before all others.
	const earliest = Math.min(...steps.map(({ startTime }) => Number(startTime)));
	return steps.find(({ startTime }) => startTime === earliest);
}

/**
 * Whether the execution that this one retries was cut off while a node was under way: somebody stopped it, or n8n was
 * killed. Then n8n has not stored what the node keeps for a retry.
 */
export function retriesCutOff(context: IExecuteFunctions): boolean {
	if (context.getMode() !== 'retry') return false;
	// As a rule, n8n has the data from its beginning, with an error beside them or with entries made up from its log.
	if (resultOf(context).error !== undefined || stepsOf(context).some(isMadeUp)) return true;
	// If n8n saved the data in between, as "Save execution progress" and a Wait node do, all but the node that was under way
	// is there. Either the retry begins with that one, or n8n has removed the step in which it crashed.
	const steps = asObject(resultOf(context).runData)[context.getNode().name];
	return isFirstNode(context) || (Array.isArray(steps) && steps.length === 0);
}

/** Whether this node is the first one that the execution runs. In a retry, this is the node that did not end well. */
function isFirstNode(context: IExecuteFunctions): boolean {
	const data = 'additionalData' in context ? asObject(context.additionalData) : {};
	return data.currentNodeExecutionIndex === 1;
}

/** Whether n8n has made up what a step gave. */
function isMadeUp(step: unknown): boolean {
	const [item] = [asObject(asObject(step).data).main].flat(2);
	return asObject(asObject(item).json).isArtificialRecoveredEventItem === true;
}

/** All steps so far, including those that a retry has from the retried execution. */
function stepsOf(context: IExecuteFunctions): unknown[] {
	return Object.values(asObject(resultOf(context).runData)).flat();
}

/** What the execution has got so far, including what a retry got from the retried one. */
function resultOf(context: IExecuteFunctions): Record<string, unknown> {
	const data = 'runExecutionData' in context ? asObject(context.runExecutionData) : {};
	return asObject(data.resultData);
}
