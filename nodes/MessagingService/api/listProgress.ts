import { type Page, PAGE_SIZE } from './page';
import type { RequestFailure } from './request';

/** How the reading of a list has ended, and how many entries it had by then. */
export type Verdict =
	/** Nothing is missing, unless an entry was removed while another one was added. */
	| { kind: 'whole' }
	/** Something may be missing, for this reason; `failure` is what came in place of the next page, if that failed. */
	| {
			kind: 'warning';
			reason: WarningReason;
			read: number;
			total?: number;
			failure?: RequestFailure;
	  }
	/** All behind these entries is missing: a page could not be read, or its links lead on without an end. */
	| { kind: 'error'; read: number; failure?: RequestFailure };

export type WarningReason =
	/** There was nothing where the list should be, not even an empty one. */
	| 'nothing'
	/** The list ended before its total. */
	| 'short'
	/** The service gives only the first entries of a long list. */
	| 'window'
	/** The service gave the same page again and again, before the total was reached. */
	| 'repeated'
	/** There was no other page, and nothing tells whether there should be one. */
	| 'unconfirmed'
	/** Entries moved between pages each time that the list was read. */
	| 'moved';

export const WHOLE: Verdict = { kind: 'whole' };

/** A page of the list, or what came in its place. */
export interface Step extends Page {
	/** How many of its entries were on no page before. */
	fresh: number;
	/** Whether it links to a page that was not read yet. */
	leadsOn: boolean;
	/** Whether only a link has led to it, so that the list goes on by its links or not at all. */
	isLinked: boolean;
	/** Whether it was fetched beside others. */
	isParallel: boolean;
}

/** How far a list was read. */
export interface ListState {
	/** How many entries were read, each counted once. */
	read: number;
	/** How many pages had new entries. */
	pages: number;
	/** The smallest total that a page announced. A later one may count entries that came in meanwhile. */
	total?: number;
	/** Whether entries moved between pages meanwhile, so that some may have been passed over. */
	hasMoved: boolean;
	/** Whether the links lead from page to page; false if they did not, although there was another page. */
	areLinksRight?: boolean;
	/** How many pages in a row, up to the latest, were empty or at least half repeats. */
	pagesWithoutNews: number;
	/** The latest page. */
	page?: Step;
}

export const START: ListState = { read: 0, pages: 0, hasMoved: false, pagesWithoutNews: 0 };

/** So many pages in a row without anything new end a list, or so many where links lead on. */
const MAX_WITHOUT_NEWS = 3;
const MAX_LINKS_WITHOUT_NEWS = 100;

/** What decides whether a list is over. */
interface Facts {
	/** What came: a page, an empty one, repeats for the third time in a row, or what is no page. */
	came: Page['came'] | 'empty' | 'repeats';
	/** How many pages with new entries came before it, or with it: none, one or more. */
	pages: 'none' | 'one' | 'more';
	/**
	 * Whether the total is larger than what was read, or the same; whether it is perhaps no more than that of the one page
	 * that was read, which is full; or whether there is none that can be right.
	 */
	total: 'short' | 'reached' | 'ofPage' | 'unknown';
	/** Whether so many were read as a service may give at most. */
	mayBeBound: boolean;
	/**
	 * Whether the links of the latest page lead on, lead on without ever bringing something new, say that it is the last
	 * one, perhaps say so, or neither.
	 */
	links: 'on' | 'endless' | 'end' | 'perhapsEnd' | 'none';
}

/** A rule applies if each fact that it names has one of its values. */
type Condition = { [Name in keyof Facts]?: Facts[Name] | ReadonlyArray<Facts[Name]> };
type Decision = 'read on' | 'whole' | 'failed' | WarningReason;

/** Whether a list is over, and how it has ended: the first rule that applies decides. */
const RULES: ReadonlyArray<readonly [Condition, Decision]> = [
	// A page that fails is missing, unless the end was announced before it.
	[{ came: 'failure', total: 'reached', links: ['end', 'perhapsEnd', 'none'] }, 'unconfirmed'],
	[{ came: 'failure', total: ['ofPage', 'unknown'], links: ['end', 'perhapsEnd'] }, 'unconfirmed'],
	[{ came: 'failure' }, 'failed'],
	// The first page has to be a list.
	[{ came: ['noPage', 'refusal'], pages: 'none' }, 'failed'],
	[{ came: 'nothing', pages: 'none' }, 'nothing'],
	// Links that lead on are followed, also from a page without entries.
	[{ came: ['page', 'empty', 'repeats'], links: 'on' }, 'read on'],
	// Behind what a service gives at most, it refuses the next page, or gives none.
	[{ came: ['noPage', 'refusal'], total: 'short' }, 'window'],
	[{ came: ['noPage', 'refusal'], mayBeBound: true }, 'window'],
	[{ came: ['nothing', 'empty', 'repeats'], total: 'short', mayBeBound: true }, 'window'],
	// Behind pages with entries, all of these are the end, if a total that is there is reached.
	[{ came: ['nothing', 'empty'], total: 'short' }, 'short'],
	[{ came: 'empty', total: ['ofPage', 'unknown'], links: 'endless' }, 'failed'],
	[{ came: ['noPage', 'nothing'], total: 'unknown', links: 'on' }, 'unconfirmed'],
	// A strict service refuses a second page if it does not know the parameter for the number.
	[{ came: 'noPage', pages: 'one', total: 'unknown', links: 'none' }, 'unconfirmed'],
	// A request that is refused says nothing about pages.
	[{ came: 'refusal', total: 'unknown' }, 'unconfirmed'],
	[{ came: ['noPage', 'refusal', 'nothing', 'empty'] }, 'whole'],
	// A service that ignores the number of the page repeats the first one.
	[{ came: 'repeats', total: 'short' }, 'repeated'],
	[{ came: 'repeats', total: 'reached' }, 'whole'],
	[{ came: 'repeats' }, 'unconfirmed'],
	// The end is announced. Some services have the same links on all pages, or count no more than they give.
	[{ came: 'page', total: 'reached', mayBeBound: false, links: 'end' }, 'whole'],
	[{ came: 'page', total: ['ofPage', 'unknown'], links: 'end' }, 'whole'],
	[
		{ came: 'page', pages: 'one', total: 'reached', mayBeBound: false, links: 'perhapsEnd' },
		'whole',
	],
	[{}, 'read on'],
];

/** The state after a step. */
export function advance(state: ListState, step: Step): ListState {
	if (step.came !== 'page') return state;
	const { read, page: before } = state;
	const { fresh } = step;
	const { length } = step.entries;
	// Some services count only the entries of each page.
	const total = read > 0 && step.total === length ? undefined : step.total;
	const page = { ...step, total };
	const wasLast = before?.isLast && fresh > 0;
	return {
		read: read + fresh,
		pages: state.pages + (fresh > 0 ? 1 : 0),
		total: total === undefined ? state.total : Math.min(total, state.total ?? total),
		hasMoved: state.hasMoved || moves(before, page),
		areLinksRight: wasLast ? false : (state.areLinksRight ?? (before?.leadsOn || undefined)),
		pagesWithoutNews: fresh > length / 2 ? 0 : state.pagesWithoutNews + 1,
		page,
	};
}

/**
 * How a list has ended; undefined when it goes on.
 *
 * @param step the latest step
 * @param state the state after it
 */
export function verdictOf(step: Step, state: ListState): Verdict | undefined {
	const { read, total = 0 } = state;
	const { failure } = step;
	const facts = factsOf(step, state);
	const [, decision] = RULES.find(([condition]) => applies(condition, facts)) ?? [];
	if (decision === undefined || decision === 'read on') return undefined;
	if (decision === 'whole') return WHOLE;
	if (decision === 'failed') return { kind: 'error', read, failure };
	return { kind: 'warning', reason: decision, read, ...(total > read && { total }), failure };
}

/** Whether the service gives only the first entries of the list. */
export function isWindow(verdict: Verdict): boolean {
	return verdict.kind === 'warning' && verdict.reason === 'window';
}

/** Whether a service may give so many entries of a list at most: 10,000 is the usual bound. */
export function mayBeBound(count: number): boolean {
	return count >= 10_000 && count % 1_000 === 0;
}

const FACTS = ['came', 'pages', 'total', 'mayBeBound', 'links'] as const;

function applies(condition: Condition, facts: Facts): boolean {
	return FACTS.every((name) => {
		// A fact that is not named may have any value.
		const wanted: ReadonlyArray<Facts[keyof Facts]> = [condition[name] ?? facts[name]].flat();
		return wanted.includes(facts[name]);
	});
}

function factsOf(step: Step, state: ListState): Facts {
	const { read, pages } = state;
	return {
		came: cameWith(step, state),
		pages: pages === 0 ? 'none' : pages === 1 ? 'one' : 'more',
		total: totalOf(state),
		mayBeBound: mayBeBound(read),
		links: linksOf(state),
	};
}

/** What came with a step. The end of links is like an empty page, and links in a circle are like repeats. */
function cameWith(step: Step, { pagesWithoutNews }: ListState): Facts['came'] {
	if (step.came !== 'page') return step.came;
	const isOver = step.isLinked && !step.leadsOn;
	if (step.entries.length === 0 || (isOver && step.next === undefined)) return 'empty';
	return isOver || pagesWithoutNews >= MAX_WITHOUT_NEWS ? 'repeats' : 'page';
}

function totalOf({ total, read, page }: ListState): Facts['total'] {
	if (total === undefined || total < read) return 'unknown';
	if (total > read) return 'short';
	const isOfFullPage = page?.entries.length === total && total >= PAGE_SIZE;
	return isOfFullPage ? 'ofPage' : 'reached';
}

function linksOf({ page, areLinksRight, pagesWithoutNews }: ListState): Facts['links'] {
	if (page?.leadsOn) return pagesWithoutNews < MAX_LINKS_WITHOUT_NEWS ? 'on' : 'endless';
	if (!page?.isLast || areLinksRight === false) return 'none';
	return areLinksRight ? 'end' : 'perhapsEnd';
}

/**
 * Whether entries have moved since the page before. Removed entries pull later ones up, onto pages that were already
 * read. New entries push others down: pages read one after the other only repeat some then, but of pages read in
 * parallel, one may be read before the push and the one above it after the push.
 */
function moves(before: Step | undefined, { total, entries, fresh, isParallel }: Step): boolean {
	const growth = before?.total === undefined || total === undefined ? 0 : total - before.total;
	const isMixed = fresh > 0 && fresh < entries.length;
	return growth < 0 || (isParallel && (growth > 0 || isMixed));
}
