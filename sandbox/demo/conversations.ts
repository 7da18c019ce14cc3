/** What contacts write, and what it starts. */
export interface Conversation {
	/** Examples that wait for events, by file, and how often each of them starts. */
	starts: Record<string, number>;
	messages: string[];
}

/** What `npm start` has active from the beginning: the agent's answer to the first starts the second. */
export const ANSWERING: Conversation = {
	starts: { 'answer-inbound-messages.json': 1, 'follow-up-agent-answers.json': 1 },
	messages: ['Hello, do you have time for me on Thursday?'],
};

/** All examples that wait for events are in one of these. Those of one are active at the same time. */
export const CONVERSATIONS: Conversation[] = [
	ANSWERING,
	{
		starts: { 'route-inbound-messages.json': 4 },
		messages: [
			'STOP',
			'Can I talk to a person, please?',
			'I would like an appointment on Thursday.',
			'What are your opening hours?',
		],
	},
	{
		starts: {
			'answer-from-a-table.json': 3,
			'answer-several-messages-at-once.json': 3,
			'keep-the-opt-outs.json': 3,
		},
		messages: ['Stop all.', 'Please stop texting me', 'START'],
	},
];
