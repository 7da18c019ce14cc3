import { failure } from '../answer.ts';
import type { Handler } from './handler.ts';

/** Endpoint 9: accepted at once with an empty body, the agent runs afterwards. */
export const start: Handler<'agent.start'> = ({ path, body, team }, { agent, log }) => {
	if (!team.webhookIds.has(path.webhookId)) return failure(404, 'Webhook not found');
	log.accepted.push({ team: team.id, webhookId: path.webhookId, body });
	agent.run(team, body);
	return { status: 202 };
};
