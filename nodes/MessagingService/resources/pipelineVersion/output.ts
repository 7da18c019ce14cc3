import { type OutputChoice, pick } from '../../panel/toolOutput';
import type { components } from '../../api/api.types';

/** How an AI agent gets versions: in short without the schema, which may be very long. */
export const VERSION = {
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
