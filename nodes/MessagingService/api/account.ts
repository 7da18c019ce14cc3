import type { Redactor } from './secrets';
import type { BaseUrl } from './url';

/** How several inbox IDs are written into one query: a=1&a=2, a[]=1&a[]=2 or a=1,2. */
export type ListFormat = 'repeat' | 'brackets' | 'comma';

/** How a point in time is written into a query. */
export type DateFormat = 'iso' | 'unixSeconds' | 'unixMilliseconds';

/** Names and formats that the interface does not show, so deployments may differ in them. */
export interface ApiNames {
	connectorSegment: string;
	inboxIdsParameter: string;
	inboxIdsFormat: ListFormat;
	afterParameter: string;
	beforeParameter: string;
	dateFormat: DateFormat;
	limitParameter: string;
	pageParameter: string;
}

/** An account at the service: its address, its API key, and the names that the interface does not show. */
export interface Account {
	baseUrl: BaseUrl;
	apiKey: string;
	/** Identifies the team whose limit the requests count towards, without revealing its key. */
	team: string;
	/** Hides the API key, and every other secret of the credential, in texts. */
	redactor: Redactor;
	names: ApiNames;
}
