import { webhookDescriptionFields } from 'n8n-workflow';

// Older versions of n8n have no such function.
const describe: unknown = webhookDescriptionFields;

/**
 * Whether n8n can read the description of a webhook without its expression engine, which would cost more than all else
 * that a call does.
 */
export const isReadNatively = typeof describe === 'function';
