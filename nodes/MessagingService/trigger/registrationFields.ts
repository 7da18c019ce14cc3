import { asObject } from '../api/json';
import { dropdown, type Field, showWhen, textField } from '../panel/field';
import { readJsonObject } from '../panel/jsonField';
import type { PanelValues } from '../panel/values';

const registrationField = dropdown({
	displayName: 'Registration',
	name: 'registration',
	default: 'manual',
	description: 'How your messaging service learns the address of this trigger',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description:
				'Subscribes to the events when you publish the workflow. Your service must offer that, and reach this n8n.',
		},
		{ name: 'Manual', value: 'manual', description: 'You enter the Production URL at the service' },
	],
});

const subscriptionPathField = textField(
	'Subscription Path',
	'subscriptionPath',
	'Where your service takes subscriptions, below the base URL. Its documentation may say so.',
	{
		required: true,
		advice: 'Enter where your service takes subscriptions, or set "Registration" to "Manual".',
	},
);

const ADDRESS = '{url}';
const EVENTS = '{events}';
const SECRET = '{secret}';

const subscriptionBodyField = textField(
	'Subscription Body',
	'subscriptionBody',
	`A subscription as your service wants it. "${ADDRESS}" stands for the address of this trigger, "${EVENTS}" for the list of events, "${SECRET}" for the webhook secret. What has no value is left out.`,
	{
		type: 'json',
		default: `{"url":"${ADDRESS}","events":"${EVENTS}","secret":"${SECRET}"}`,
		advice: `Enter an object with "${ADDRESS}", which stands for the address of this trigger.`,
	},
);

export const registrationFields: Field[] = [
	registrationField,
	...showWhen({ registration: ['automatic'] }, subscriptionPathField, subscriptionBodyField),
];

/**
 * Reads how the trigger subscribes; undefined when the user enters its address at the service.
 *
 * @throws {Problem} when there is no path, or no body with the address.
 */
export function readRegistration(values: PanelValues) {
	if (values.choice(registrationField) === 'manual') return undefined;
	const path = values.requiredText(subscriptionPathField).replace(/^\/+|\/+$/g, '');
	const template = JSON.stringify(readJsonObject(values, subscriptionBodyField));
	if (!template.includes(`"${ADDRESS}"`)) {
		const { displayName, advice } = subscriptionBodyField;
		values.fail(`"${displayName}" does not have "${ADDRESS}"`, advice);
	}
	return {
		/** Where the service takes subscriptions, below the base URL. */
		endpoint: `/${path}`,
		/** The body of a subscription; of one to all events when the list is empty. */
		bodyWith(url: string, events: readonly string[], secret?: string): object {
			const fillIn = (_name: string, value: unknown) => {
				if (value === ADDRESS) return url;
				if (value === EVENTS) return events.length > 0 ? events : undefined;
				if (value === SECRET) return secret;
				// An entry without a value has left a gap in its list.
				return Array.isArray(value) ? value.filter(() => true) : value;
			};
			return asObject(JSON.parse(template, fillIn));
		},
	};
}
