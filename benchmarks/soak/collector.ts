import Fastify from 'fastify';

/** What a workflow says of one lead. */
export type LeadResult = 'accepted' | 'skipped' | 'uncertain' | 'failed';

interface LeadReport {
	ids: number[];
	results: Array<Record<string, unknown>>;
}

interface EntityReport {
	ids: Array<number | string>;
}

/**
 * The outside world of the workflows: gives them leads, and takes down what they report. Leads stay on offer
 * for a while, as new rows of a sheet do.
 */
export class Collector {
	/** The latest result of each lead. */
	readonly leads = new Map<number, LeadResult>();
	/** How often each message came out of the node. */
	readonly messages = new Map<string, number>();
	/** How often each event started the workflow. */
	readonly events = new Map<string, number>();
	private readonly app = Fastify({ bodyLimit: 50_000_000 });
	private readonly offered: number;
	private created = 0;

	/** @param offered how many of the latest leads are on offer */
	constructor(offered: number) {
		this.offered = offered;
		this.app.get('/leads', () => this.latestLeads());
		this.app.post<{ Body: LeadReport }>('/leads', ({ body }) => {
			body.ids.forEach((id, index) => this.takeDown(id, body.results[index] ?? {}));
			return {};
		});
		this.app.post<{ Body: EntityReport }>('/messages', ({ body }) => count(this.messages, body));
		this.app.post<{ Body: EntityReport }>('/events', ({ body }) => count(this.events, body));
	}

	async listen(): Promise<string> {
		return await this.app.listen({ host: '127.0.0.1', port: 0 });
	}

	async close(): Promise<void> {
		await this.app.close();
	}

	get leadsCreated(): number {
		return this.created;
	}

	addLead(): void {
		this.created++;
	}

	/** Whether each lead was sent, or is known to be in doubt. */
	get isDone(): boolean {
		for (let id = 1; id <= this.created; id++) {
			const result = this.leads.get(id);
			if (result === undefined || result === 'failed') return false;
		}
		return true;
	}

	private latestLeads(): Array<{ id: number }> {
		const first = Math.max(1, this.created - this.offered + 1);
		return Array.from({ length: this.created - first + 1 }, (_, index) => ({ id: first + index }));
	}

	private takeDown(id: number, result: Record<string, unknown>): void {
		if (result.accepted === true) this.leads.set(id, 'accepted');
		else if (result.uncertain === true) this.leads.set(id, 'uncertain');
		else if (result.skipped === true) this.leads.set(id, 'skipped');
		else this.leads.set(id, 'failed');
	}
}

function count(counts: Map<string, number>, { ids }: EntityReport): object {
	for (const id of ids.map(String)) counts.set(id, (counts.get(id) ?? 0) + 1);
	return {};
}
