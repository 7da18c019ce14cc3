import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { components } from '../../api/api.types';
import type { ApiRequest } from '../../api/request';
import { optionsField } from '../../panel/options';
import { type OutputChoice, pick, readToolOutput, toolOutput } from '../../panel/toolOutput';
import type { Item } from '../operation';
import { pipelineId } from './agent';

/** How an AI agent gets versions: in short without the schema, which may be very long. */
const VERSION = {
	fields: {
		id: 'ID',
		isLatestLive: 'Is Latest Live',
		madeLiveAt: 'Made Live At',
		name: 'Name',
		number: 'Number',
		pipelineId: 'Pipeline ID',
		pipelineOptions: 'Pipeline Options',
		schema: 'Schema',
		versionId: 'Version ID',
		versionName: 'Version Name',
		versionNumber: 'Version Number',
	} satisfies Record<keyof components['schemas']['PipelineVersion'], string>,
	simplify: (version) =>
		pick(version, ['id', 'number', 'name', 'pipelineId', 'isLatestLive', 'madeLiveAt']),
} satisfies OutputChoice;

/** The fields of an operation on a version. */
export function versionFields(...own: INodeProperties[]): INodeProperties[] {
	return [pipelineId, ...own, ...toolOutput(VERSION), optionsField()];
}

/** Sends what creates or changes a version, and returns the version as the fields want it. */
export async function sendForVersion(
	{ client, parameters }: Item,
	request: Pick<ApiRequest, 'method' | 'path' | 'body'>,
): Promise<IDataObject> {
	const output = readToolOutput(parameters, VERSION);
	return output(
		await client.sendForObject({
			...request,
			endpoint: 'pipelineVersion',
			repeat: 'ifRefused',
			notFound: {
				message: 'The messaging service cannot find this agent or version',
				description:
					"Check the IDs. An agent of another team is not found either, so check that the credential has that team's API key.",
			},
		}),
	);
}
