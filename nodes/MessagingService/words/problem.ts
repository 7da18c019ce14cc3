import type { IDataObject } from 'n8n-workflow';
import { RequestFailure } from '../api/request';

/** A failure that is not, or not only, that of a request, such as a wrong parameter, in words for the user. */
export class Problem extends Error {
	override name = 'Problem';
	/** Why, and what to do. */
	readonly description: string;
	/** What there was before the failure, such as the first entries of a list. */
	readonly items: readonly IDataObject[];

	/** @param more.cause the failure of a request that is behind it, if one is */
	constructor(
		message: string,
		description = '',
		{ cause, items = [] }: { cause?: unknown; items?: readonly IDataObject[] } = {},
	) {
		super(message, { cause });
		this.description = description;
		this.items = items;
	}
}

/** Whether a failure is one of this package's own. Any other one is of n8n, or was not foreseen. */
export function isOwnFailure(failure: unknown): boolean {
	return failure instanceof Problem || failure instanceof RequestFailure;
}
