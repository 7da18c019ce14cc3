/** How IDs of the service look, as a regular expression. */
export const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** The placeholder of fields that take such an ID. */
export const UUID_PLACEHOLDER = 'e.g. 123e4567-e89b-12d3-a456-426614174000';
