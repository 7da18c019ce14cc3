import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import {
	matchesFilters,
	phoneFilter,
	readCommonFilters,
	textFilter,
} from '../operations/message/filters';
import { MESSAGE_OUTPUT, oldestFirst, type ParsedMessage } from '../operations/message/message';
import { dropdown, type Field } from '../panel/field';
import { filtersField, readFilters } from '../panel/filters';
import { inboxIdsField } from '../panel/ids';
import { readOutput, simplifyField } from '../panel/output';
import { PanelValues } from '../panel/values';

/** What starts the workflow. n8n's list of nodes shows an entry for each option of a field with this name. */
export const directionField = dropdown({
	displayName: 'Trigger On',
	name: 'direction',
	noDataExpression: true,
	options: [
		{
			name: 'Message Received',
			value: 'inbound',
			action: 'On new message received',
			description: 'A message that a contact sends to you',
		},
		{
			name: 'Message Sent',
			value: 'outbound',
			action: 'On new message sent',
			description: 'A message that you or an agent send. A workflow that texts would start itself.',
		},
		{
			name: 'Message Received or Sent',
			value: 'both',
			action: 'On new message received or sent',
			description: 'Any message. A workflow that texts would start itself.',
		},
	],
	default: 'inbound',
	description: 'What starts the workflow, at the poll times',
	hint: 'Messages that are there when you first publish this, or change this field, the filters or the credential, start nothing. After a pause, all that came meanwhile do.',
});

const titles = Object.fromEntries(directionField.options.map(({ value, name }) => [value, name]));

/** The expression for the subtitle beneath the node on the canvas: what starts the workflow. */
export const subtitle = `={{ (${JSON.stringify(titles)})[$parameter["direction"]] }}`;

export const messageFiltersField = filtersField(inboxIdsField, phoneFilter, textFilter);

/** The fields of the polling trigger. n8n adds "Poll Times" above them. */
export const pollingFields: Field[] = [directionField, messageFiltersField, simplifyField];

/** What starts the workflow, as the panel says it. */
export type Wanted = ReturnType<typeof readWanted>;

/**
 * Reads what starts the workflow.
 *
 * @throws {Problem} when a value in the panel cannot be used.
 */
export function readWanted(context: IPollFunctions) {
	const parameters = PanelValues.ofTrigger(context);
	const given = readFilters(parameters, messageFiltersField, context.getNode().parameters);
	const direction = parameters.choice(directionField);
	const inbound = direction === 'both' ? undefined : direction === 'inbound';
	const filters = { ...readCommonFilters(given), inbound, statuses: [] };
	const { inboxIds, contact, text } = filters;
	const simplify = readOutput(parameters, MESSAGE_OUTPUT);
	return {
		/** Whose messages are read; those of all inboxes when empty. */
		inboxIds,
		/** All that decides which messages start the workflow, in whatever order it was entered. */
		filters: [direction, [...inboxIds].sort(), [...(contact?.numbers ?? [])].sort(), text],
		/** Picks the messages that start the workflow, and gives their output, the oldest first. */
		select(messages: readonly ParsedMessage[]): IDataObject[] {
			const matching = messages.filter((message) => matchesFilters(message, filters));
			return oldestFirst(matching).map(({ json }) => simplify(json));
		},
	};
}
