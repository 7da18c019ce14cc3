import type { components } from '../../api/api.types';
import { readObject } from '../../api/client';
import type { ApiRequest } from '../../api/request';
import { textField } from '../../panel/field';
import { optionsField } from '../../panel/options';
import type { WriteOperation } from '../operation';

const emailField = textField('Email', 'email', 'Email address of the new user', {
	placeholder: 'e.g. nathan@example.com',
	required: true,
	hint: 'This person gets access to your team. The service decides which role they have.',
});

const firstNameField = textField('First Name', 'firstName', 'First name of the new user', {
	placeholder: 'e.g. Nathan',
});

const lastNameField = textField('Last Name', 'lastName', 'Last name of the new user', {
	placeholder: 'e.g. Smith',
});

/** Adds a user to the team (interface, endpoint 2). */
export const create: WriteOperation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create user',
		description: 'Create a new user, to add a colleague to your team',
	},
	toolDescription:
		'Adds a person to the team, which gives them access to its account. This cannot be undone here. Use it only when the user explicitly asks for it, with the email address that the user gave.',
	writes: true,
	fields: [emailField, firstNameField, lastNameField, optionsField()],

	async execute({ client, parameters }, run) {
		const body: components['schemas']['NewUser'] = {
			email: parameters.requiredText(emailField),
			firstName: parameters.text(firstNameField) || undefined,
			lastName: parameters.text(lastNameField) || undefined,
		};
		const request: ApiRequest = {
			method: 'POST',
			path: '/public/admin/users',
			repeat: 'ifRefused',
			body,
		};
		return await run.once(
			{ subject: [body.email] },
			async () => await client.send(request, readObject),
		);
	},
};
