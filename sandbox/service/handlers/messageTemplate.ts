import { listingOf, servePage } from '../paging.ts';
import type { Handler } from './handler.ts';

/** Endpoint 5. */
export const getAll: Handler<'messageTemplate.getAll'> = ({ query, team, entry }, { settings }) =>
	servePage(listingOf(team.templates), query, entry, settings.dialect);
