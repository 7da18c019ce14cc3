import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { Notices } from '../notices';
import type { Parameters } from '../fields/parameters';
import type { Client, TransportOptions } from '../transport/client';

/** What an operation works with while it handles one item. */
export interface Call {
	/** The node's run. */
	context: IExecuteFunctions;
	/** The parameters as the panel has them, with expressions unresolved: the same for all items. */
	panel: INodeParameters;
	/** The item itself. */
	input: IDataObject;
	/** The node's parameters for this item. */
	parameters: Parameters;
	client: Client;
	transport: TransportOptions;
	/** Requests that the node may have under way at once. */
	concurrency: number;
	/** What the user should know although nothing failed. */
	notices: Notices;
}

/** What comes out for an item: an object as one item, a list as one item each. */
export type Output = IDataObject | IDataObject[];

/** One operation of the action node: its dropdown entry, its fields, and what it does for an item. */
export interface Operation {
	option: INodePropertyOptions & Required<Pick<INodePropertyOptions, 'action' | 'description'>>;
	/** What an AI model is told of it: what it does, to whom, and when to leave it alone. */
	toolDescription: string;
	fields: INodeProperties[];
	/** Whether it changes something at the service, so that it must not happen twice. */
	writes: boolean;
	/** Whether items may be handled side by side; otherwise one after the other. */
	sideBySide?: boolean;
	/**
	 * Handles one item.
	 *
	 * @throws {IncompleteList} when some pages of a list could not be read.
	 */
	execute(call: Call): Promise<Output>;
	/** Ends a run, when all of its items are handled. Never rejects. */
	finish?(context: IExecuteFunctions, client: Client): Promise<void>;
}

/** A resource of the service and what can be done with it. */
export interface Resource {
	/** What it is called in the dropdown, and what it is. */
	name: string;
	description: string;
	/** The operation that is preselected. */
	defaultOperation: string;
	operations: Readonly<Record<string, Operation>>;
}
