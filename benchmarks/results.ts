import { figureOf, type Figure } from './statistics.ts';

/** What a figure has to reach. */
export interface Target {
	words: string;
	met: boolean;
}

/** The same work done by both nodes. */
export interface Comparison {
	case: string;
	what: string;
	unit: 'ms' | 'MB';
	node: Figure;
	httpRequest: Figure;
	/** How the HTTP Request node was set, where there is a choice. */
	setting?: string;
	/** This node's median, divided by that of the HTTP Request node. */
	ratio: number;
	target?: Target;
}

/** What became of webhook calls that were more than the service takes at once. */
export interface Delivery {
	/** What the service takes. */
	limit: string;
	contender: string;
	sent: number;
	/** Calls that the service accepted, doubles included. */
	accepted: number;
	/** Calls that it did not accept. */
	lost: number;
	doubled: number;
	/** Answers with status 429 or 503. */
	refused: number;
	seconds: number;
	/** The time taken, divided by the least that the service allows. */
	timeRatio: number;
	target?: Target;
}

/** How long a number of webhook calls takes. */
export interface GrowthPoint {
	contender: string;
	items: number;
	milliseconds: Figure;
	cpuMilliseconds: Figure;
}

/** What a webhook call costs beside keys that are remembered. */
export interface MemoryPoint {
	keys: number;
	/** Milliseconds per call. */
	time: Figure;
	cpu: Figure;
}

/** How calls from outside are taken in. */
export interface Reception {
	/** How n8n's expression engine was set. */
	engine: string;
	contender: string;
	/** Sent in each round. */
	events: number;
	connections: number;
	perSecond: Figure;
	/** Processor time of n8n for each event, its execution included. */
	cpuMilliseconds: Figure;
	/** Events per second, divided by those of n8n's Webhook node: the median over the rounds. */
	rateRatio: number;
	/** The same for the processor time. */
	cpuRatio: number;
	target?: Target;
}

/** What an option of a node costs. */
export interface Overhead {
	what: string;
	/** Milliseconds per item. */
	without: Figure;
	with: Figure;
	/** The figure with the option, divided by the one without: the median over the rounds. */
	ratio: number;
	target?: Target;
}

/** How a run of many items leaves n8n's event loop. */
export interface Responsiveness {
	contender: string;
	items: number;
	/** Time of the node for each item. */
	perItemMs: number;
	/** The longest time that nothing else in n8n could go on. */
	longestGapMs: number;
	target?: Target;
}

/** What comes with the package. */
export interface PackageFigures {
	packedBytes: number;
	unpackedBytes: number;
	files: number;
}

/** What all cases together found; each finds a part of it. */
export interface Findings {
	comparisons: Comparison[];
	deliveries: Delivery[];
	growth: GrowthPoint[];
	memory: MemoryPoint[];
	overheads: Overhead[];
	receptions: Reception[];
	responsiveness: Responsiveness[];
	package?: PackageFigures;
}

/** Puts the findings of several cases together. */
export function mergeFindings(all: Array<Partial<Findings>>): Findings {
	return {
		comparisons: all.flatMap(({ comparisons = [] }) => comparisons),
		deliveries: all.flatMap(({ deliveries = [] }) => deliveries),
		growth: all.flatMap(({ growth = [] }) => growth),
		memory: all.flatMap(({ memory = [] }) => memory),
		overheads: all.flatMap(({ overheads = [] }) => overheads),
		receptions: all.flatMap(({ receptions = [] }) => receptions),
		responsiveness: all.flatMap(({ responsiveness = [] }) => responsiveness),
		package: all.find((some) => some.package)?.package,
	};
}

/** Whether a ratio is as small as it has to be; no target without a limit. */
export function atMost(ratio: number, limit: number | undefined): { target?: Target } {
	if (limit === undefined) return {};
	return { target: { words: `at most ${limit.toFixed(2)}`, met: ratio <= limit } };
}

/** Sets this node beside the HTTP Request node, with the most that the ratio may be. */
export function compare(
	parts: Omit<Comparison, 'ratio' | 'target' | 'node' | 'httpRequest'>,
	[node, httpRequest]: readonly [number[], number[]],
	limit?: number,
): Comparison {
	const figures = { node: figureOf(node), httpRequest: figureOf(httpRequest) };
	const ratio = figures.node.median / figures.httpRequest.median;
	return { ...parts, ...figures, ratio, ...atMost(ratio, limit) };
}
