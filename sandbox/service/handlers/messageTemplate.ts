import { servePage } from '../paging.ts';
import type { Handler } from './handler.ts';

/** Endpoint 5. */
export const getAll: Handler<'messageTemplate.getAll'> = (
	{ query, team, origin, url },
	{ dialect },
) =>
	servePage(
		{
			total: team.templates.length,
			slice: (offset, count) => team.templates.slice(offset, offset + count),
		},
		{ ...query, origin, url, dialect },
	);
