/** That what the nodes tell n8n's AI builder names fields, options and nodes by the words of the panel. */
import { MessagingService } from '../../nodes/MessagingService/MessagingService.node.ts';
import { MessagingServicePollingTrigger } from '../../nodes/MessagingService/MessagingServicePollingTrigger.node.ts';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node.ts';

const descriptions = [
	new MessagingService().description,
	new MessagingServiceTrigger().description,
	new MessagingServicePollingTrigger().description,
];

/** What n8n itself calls a setting of every node. */
const N8N_LABELS = ['On Error'];

/** Two or more words in capitals, with small words between them: "Agent: Start", "Once per Phone Number". */
const NAMES = /\b[A-Z]\w*(?:(?::| per| of)? [A-Z]\w*)+/g;

const labels = new Set(N8N_LABELS);
JSON.stringify(descriptions, (key, value: unknown) => {
	if ((key === 'displayName' || key === 'name') && typeof value === 'string') labels.add(value);
	return value;
});

test.each(descriptions)('$displayName: what its hint names is there', ({ builderHint }) => {
	const names = builderHint?.searchHint?.match(NAMES) ?? [];

	expect(names).not.toEqual([]);
	expect(names.flatMap((name) => name.split(': ')).filter((name) => !labels.has(name))).toEqual([]);
});
