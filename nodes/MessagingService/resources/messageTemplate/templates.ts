import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../../api/client';
import { type ListResult, readGradually } from '../../api/list';
import { templatesOf } from '../../api/lists';
import { PAGE_SIZE } from '../../api/pages';
import { assertWhole, pageNameAdvice } from '../list';

/** The text of a template. */
export function bodyOf({ body }: IDataObject): string {
	return typeof body === 'string' ? body : '';
}

/**
 * Finds templates by their IDs. The interface has no way to get a single one, so the list is read: once for all that
 * are looked for, and only until they have come.
 */
export class Templates {
	private readonly pageParameter: string;
	private readonly pages: AsyncGenerator<IDataObject[], ListResult>;
	private readonly known = new Map<string, IDataObject>();
	/** The page that is being read. At the end of the list, and after a failure, it stays. */
	private underWay?: Promise<ListResult | undefined>;

	constructor(client: Client) {
		const source = templatesOf(client.account);
		this.pageParameter = source.pageParameter;
		this.pages = readGradually(client, {
			...source,
			pageSize: PAGE_SIZE,
			limit: Infinity,
			// One page after the other, so that nothing is read beyond the one with the template.
			concurrency: 1,
		});
	}

	/**
	 * Finds a template.
	 *
	 * @returns undefined when there is none with this ID.
	 * @throws {RequestFailure | IncompleteList} when it is not among what came of a list that could not be read whole.
	 */
	async find(id: string): Promise<IDataObject | undefined> {
		let result: ListResult | undefined;
		while (!result && !this.known.has(id)) result = await (this.underWay ??= this.readOn());
		const template = this.known.get(id);
		if (!template && result) {
			const ignoredPage = pageNameAdvice(this.pageParameter);
			// Without the others, which nobody asked for.
			assertWhole({ ...result, items: [] }, { items: 'message templates', ignoredPage });
		}
		return template;
	}

	/** Reads the next page, or gives what came of the list when there is none. */
	private async readOn(): Promise<ListResult | undefined> {
		const { done, value } = await this.pages.next();
		if (done) return value;
		for (const template of value) this.known.set(String(template.id), template);
		this.underWay = undefined;
		return undefined;
	}
}
