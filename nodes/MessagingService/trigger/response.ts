/**
 * How n8n answers an accepted call: with 200 and without a body, since some services text the body of the answer to the
 * contact. Without the empty `responseData`, n8n would answer with a text of its own instead.
 */
export const acceptedResponse = { responseMode: 'onReceived', responseData: '' } as const;
