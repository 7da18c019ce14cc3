import { randomUUID } from 'node:crypto';

import { failure, json } from '../answer.ts';
import type { PipelineVersion } from '../contract.ts';
import type { Handler } from './handler.ts';

/** A new version has the next number and is not live. */
export const createVersion: Handler<'agentVersion.create'> = ({ path, body, team }) => {
	const versions = team.agents.get(path.pipelineId);
	if (versions === undefined) return failure(404, 'Pipeline not found');
	const { schema, versionName = null, parentVersionId } = body;
	const parent = versions.find(({ id }) => id === parentVersionId);
	if (parentVersionId !== undefined && parent === undefined) {
		return failure(404, 'Parent version not found');
	}

	const id = randomUUID();
	const number = (versions.at(-1)?.number ?? 0) + 1;
	const version: PipelineVersion = {
		id,
		number,
		pipelineId: path.pipelineId,
		schema,
		isLatestLive: false,
		name: versionName,
		pipelineOptions: parent?.pipelineOptions ?? {},
		versionId: id,
		versionNumber: number,
		versionName,
		madeLiveAt: null,
	};
	versions.push(version);
	return json(201, version);
};

/** Without a name nothing changes. */
export const renameVersion: Handler<'agentVersion.rename'> = ({ path, body, team }) => {
	const versions = team.agents.get(path.pipelineId);
	const version = versions?.find(({ id }) => id === path.versionId);
	if (version === undefined) return failure(404, 'Pipeline version not found');
	if (body.name !== undefined) {
		version.name = body.name;
		version.versionName = body.name;
	}
	return json(200, version);
};
