import { PACKAGE_NAME } from './paths.ts';

/** The nodes of this package. */
export const ACTION_TYPE = `${PACKAGE_NAME}.messagingService`;
export const TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServiceTrigger`;
export const POLLING_TRIGGER_TYPE = `${PACKAGE_NAME}.messagingServicePollingTrigger`;
