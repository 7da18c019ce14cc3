/** What became of a request, and of the item that it was sent for. */
export type Outcome =
	/** The service has accepted it. */
	| 'accepted'
	/** It certainly had no effect. */
	| 'refused'
	/** Nobody knows: the service may have acted on it. */
	| 'unknown';
