import { listingOf, servePage } from '../paging.ts';
import type { Handler } from './handler.ts';

/** Endpoint 5. */
export const getAll: Handler<'messageTemplate.getAll'> = (
	{ query, team, origin, url },
	{ dialect },
) => servePage(listingOf(team.templates), { ...query, origin, url, dialect });
