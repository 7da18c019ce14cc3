/**
 * Events to the outside are not part of the documented interface: interface.md says that they exist and
 * shows nothing of them. So everything here is this stand-in's own invention.
 */
export type EventName = 'message.received' | 'agent.answered';

/** The part `events` of the settings. */
export interface EventSettings {
	/** Addresses that get the demo team's events without having subscribed; all events unless some are named. */
	subscriptions: Array<{ url: string; events?: string[] }>;
	/** Whether there is an endpoint at which clients subscribe. */
	endpoint: { enabled: boolean };
	/** How a delivery proves where it comes from. A subscription may have a secret of its own. */
	signing: { kind: 'none' | 'sharedSecret' | 'signature'; secret: string };
	/** How many further times each delivery is sent, as services do that are not sure. */
	duplicates: number;
}

export const defaultEventSettings: EventSettings = {
	subscriptions: [],
	endpoint: { enabled: true },
	signing: { kind: 'none', secret: 'demo-webhook-secret' },
	duplicates: 0,
};
