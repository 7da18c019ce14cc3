import { randomUUID } from 'node:crypto';

import { failure, json } from '../answer.ts';
import type { User } from '../contract.ts';
import type { Handler } from './handler.ts';

/** Endpoint 2. An address can be used once in a team. */
export const create: Handler<'user.create'> = ({ body, team }) => {
	const { email, firstName, lastName } = body;
	if (!email?.includes('@')) return failure(400, 'email must be an e-mail address');
	const key = email.toLowerCase();
	if (team.users.has(key)) return failure(409, `A user with the email ${email} already exists`);
	const user: User = { id: randomUUID(), email, role: 'member', firstName, lastName };
	team.users.set(key, user);
	return json(201, user);
};
