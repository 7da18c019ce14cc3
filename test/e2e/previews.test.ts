/** What n8n's editor gets from the package before anything ran: previews, and the tool it makes of it. */
import { readPreviews } from '../../scripts/previews.ts';
import { listNodeTypes } from '../../sandbox/n8n/nodeTypes.ts';
import { ACTION_TYPE, START_TIMEOUT_MS, startSandbox, type Sandbox } from './sandbox.ts';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ service: { messages: 10 } });
}, START_TIMEOUT_MS);

afterAll(() => sandbox?.stop());

/** Asks as the editor does, for the version 1 of a node. */
async function fetchPreview(path: string): Promise<Response> {
	return await fetch(new URL(`/schemas/${ACTION_TYPE}/1.0.0/${path}`, sandbox.n8n.url));
}

describe('the previews', () => {
	test.each([...readPreviews()])('have %s', async (path, preview) => {
		const response = await fetchPreview(path);
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual(preview);
		// Without both, the editor takes it for none.
		expect(preview).toMatchObject({ type: 'object', properties: expect.anything() });
	});

	it('have nothing else', async () => {
		const { status } = await fetchPreview('message/delete.json');
		expect(status).toBe(404);
	});
});

describe('the tool that n8n makes of the node', () => {
	const propertiesOf = async (type: string) => {
		const types = await listNodeTypes(sandbox.n8n.rest);
		return types.find(({ name }) => name === type)?.properties ?? [];
	};

	it('is described in the words of the package', async () => {
		const names = (await propertiesOf(`${ACTION_TYPE}Tool`)).map(({ name }) => name);
		expect(names).toContain('toolDescription');
		// With this, n8n would choose the words itself.
		expect(names).not.toContain('descriptionType');
	});

	it('has a description for every operation', async () => {
		const properties = await propertiesOf(`${ACTION_TYPE}Tool`);
		const described = properties
			.filter(({ name }) => name === 'toolDescription')
			.flatMap(({ displayOptions: { show } = {} }) =>
				(show?.resource ?? []).flatMap((resource) =>
					(show?.operation ?? []).map((operation) => `${resource}/${operation}.json`),
				),
			);
		expect(described.sort()).toEqual([...readPreviews().keys()].sort());
	});
});
