import { json } from '../answer.ts';
import type { Handler } from './handler.ts';

/** Endpoint 1. A token that is not known is an answer, too, not an error. */
export const verify: Handler<'oneTimePassword.verify'> = ({ query }, { store }) =>
	json(200, store.validOtpTokens.has(query.token) ? 'verified' : 'invalid');
