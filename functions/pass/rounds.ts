import { assert } from '../basics/assert.ts';
import type { SnapshotHead } from '../model/snapshot.ts';
import { DeadlineError } from '../service/errors.ts';
import { byKey } from '../store/store.ts';
import { bulkLimit } from './conclude.ts';
import type { Heartbeat } from './context/context.ts';
import { isOutOfTime, type PassContext } from './context/context.ts';
import { isOfOneProject } from './failures.ts';
import { type Candidate, look } from './look.ts';
import { kindOf, type Listing, listProjects } from './reading/listing.ts';
import { Findings, recheckChanges, skippedNoLonger } from './rechecks.ts';
import type { PassState } from './state.ts';
import type { Survey } from './survey.ts';

/** What the two rounds found. */
interface Rounds {
  /** True when time ran out before all candidates were looked at. */
  readonly isStopped: boolean;
  readonly findings: Findings;
  /** The whole listing of the second round, which confirms deletions; undefined when no second round was needed. */
  readonly second?: SecondListing;
}

/** The listing of the second round, which asks for all projects. */
interface SecondListing {
  readonly listing: Listing;
  /** How many projects have a snapshot, and how many of these the listing lacks. */
  readonly known: number;
  readonly missing: number;
}

/** How often the first round saves its rechecks and progress. */
const SAVE_MS = 10_000;

/** First round: looks at each candidate. Second round, by one whole listing: looks again at what was unclear,
 *  and at what a sweep's listing lacks. */
export async function lookAtAll(context: PassContext, state: PassState, survey: Survey): Promise<Rounds> {
  const findings = new Findings(context.before, survey.total, survey.retried);
  const heads =
    context.kind !== 'changes' ? new Heads(context, id => survey.listing.projects.has(id)) : undefined;
  if (await firstRound(context, state, survey, findings, heads)) return { isStopped: true, findings };
  await heads?.toEnd();
  const vanished = heads && context.kind === 'sweep' ? heads.unlisted : [];
  const ids = new Set([...findings.idsOf('unclear'), ...vanished, ...survey.unlisted]);
  if (ids.size === 0) return { isStopped: false, findings };
  const { clock, stopAt, begunAt } = context;
  // The first round took time that the next run has for this listing.
  const isLate = 10 * (clock() - survey.listing.endedAt) > stopAt - begunAt;
  const listing = await listProjects(context, undefined, isLate);
  const second = { listing, ...(await countMissing(context, heads, listing)) };
  const isStopped = await secondRound(context, state, [...ids].sort(byKey), { survey, second }, findings);
  return { isStopped, findings, second };
}

/** @returns true when time ran out */
async function firstRound(
  context: PassContext,
  state: PassState,
  survey: Survey,
  findings: Findings,
  heads: Heads | undefined,
): Promise<boolean> {
  const { listing, candidates, total, recent, retried } = survey;
  const { onProgress, clock, kind } = context;
  const before = total - candidates.length;
  // Those with a recheck alone come last, because each may take a time-out. They do not depend on the progress.
  const others = candidates.filter(id => !retried?.has(id));
  const inTurn = [...others, ...candidates.filter(id => retried?.has(id))];
  const shown = kind === 'changes' ? 'changed' : kindOf(listing);
  let reached: string | undefined;
  let savedAt = clock();
  onProgress?.(kind, before, total);
  const onReached = async (_id: string, done: number) => {
    reached = others[Math.min(done, others.length) - 1];
    if (clock() - savedAt >= SAVE_MS) {
      await save(context, state, findings, reached);
      savedAt = clock();
    }
    onProgress?.(kind, before + done, total);
  };
  const work = async (projectId: string) => {
    const listed = listing.projects.get(projectId);
    const head = await heads?.of(projectId);
    const looked = await look(context, state, { projectId, listing: shown, listed, head, round: 1 });
    findings.set(projectId, looked);
    const { end, tasksReadAt } = looked;
    if (listed && end === 'settled' && tasksReadAt !== undefined) recent?.add(projectId, listed, tasksReadAt);
  };
  return lookInTurn(context, inTurn, { work, onReached }, () => save(context, state, findings, reached));
}

/** @returns true when time ran out */
async function secondRound(
  context: PassContext,
  state: PassState,
  ids: readonly string[],
  { survey, second }: { readonly survey: Survey; readonly second: SecondListing },
  findings: Findings,
): Promise<boolean> {
  let gone = 0;
  const work = async (projectId: string) => {
    // Above this limit deletions wait for an operator anyway, and asking for thousands more could take longer
    // than a run may.
    if (gone > bulkLimit(second.known) && !context.before.released) return;
    const looked = await look(context, state, {
      projectId,
      ...listedIn(context, second, survey, projectId),
      round: 2,
    });
    findings.set(projectId, looked);
    if (looked.end === 'vanished' || looked.end === 'missed twice') gone += 1;
  };
  const walked = { work, onReached: async () => {} };
  return lookInTurn(context, ids, walked, async () => {
    putOffDeletions(context, findings);
    await save(context, state, findings, survey.candidates.at(-1));
  });
}

/** Leaves to the next run of the pass what was found gone: only the end of a pass deletes, and a run without time does
 *  not come to it. A sweep finds it again, with the recheck that it has. */
function putOffDeletions({ kind, before }: PassContext, findings: Findings): void {
  for (const id of findings.idsOf('vanished', 'missed twice')) {
    const end = kind === 'changes' ? 'unclear' : before.rechecks.get(id)?.cause;
    if (end) findings.set(id, { end });
  }
}

/** Walks the projects, several at once, and calls `onTimeOut` when time runs out on the way.
 *  @returns true when time ran out between two projects; @throws DeadlineError when it ran out within a request */
async function lookInTurn(
  context: PassContext,
  ids: readonly string[],
  { work, onReached }: Pick<Walk<string>, 'work' | 'onReached'>,
  onTimeOut: () => Promise<void>,
): Promise<boolean> {
  const { heartbeat, concurrency } = context;
  try {
    const outcome = await walk(ids, {
      work,
      concurrency,
      shouldStop: () => isOutOfTime(context),
      onReached: async (id, done) => {
        await onReached(id, done);
        await heartbeat.beat();
      },
    });
    if (outcome === 'stopped') await onTimeOut();
    return outcome === 'stopped';
  } catch (error) {
    // What a failing run has found out of single projects counts for the next one.
    if (error instanceof DeadlineError || isOfOneProject(error)) await onTimeOut();
    throw error;
  }
}

/** How `walk` works on its items. */
interface Walk<Item> {
  readonly concurrency: number;
  readonly work: (item: Item) => Promise<void>;
  /** Asked before each item; true begins no further one. */
  readonly shouldStop: () => boolean;
  /** Called with the last item up to which all are done, and how many these are. Never called twice at
   *  once. */
  readonly onReached: (item: Item, done: number) => Promise<void>;
}

/** Works on the items, several at once, beginning them in order. After a failure no other is begun, and when
 *  those under way have ended the failure is thrown. All items up to the one that was last passed to
 *  `onReached` are done, whatever failed after it. */
export async function walk<Item>(items: readonly Item[], how: Walk<Item>): Promise<'done' | 'stopped'> {
  const done: boolean[] = [];
  let next = 0;
  let reached = 0;
  let stopped = false;
  let reporting = Promise.resolve();

  const report = () => {
    const before = reached;
    while (done[reached]) reached += 1;
    const [last, count] = [items[reached - 1], reached];
    if (count > before) reporting = reporting.then(() => how.onReached(last as Item, count));
    return reporting;
  };
  const worker = async () => {
    while (next < items.length && !stopped) {
      if (how.shouldStop()) stopped = true;
      else {
        const index = next++;
        await how.work(items[index] as Item);
        done[index] = true;
        await report();
      }
    }
  };
  const stopOnFailure = async () => {
    try {
      await worker();
    } catch (error) {
      stopped = true;
      throw error;
    }
  };
  const workers = Array.from({ length: how.concurrency }, stopOnFailure);
  const ended = await Promise.allSettled(workers);
  const failures = ended.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
  // The deadline does not explain why the others failed.
  if (failures.length > 0) throw failures.find(error => !(error instanceof DeadlineError)) ?? failures[0];
  return stopped ? 'stopped' : 'done';
}

/** The project as the second listing shows it. If that may have passed over it, a baseline takes it from the
 *  first listing. */
function listedIn(
  { kind }: PassContext,
  { listing }: SecondListing,
  survey: Survey,
  projectId: string,
): Pick<Candidate, 'listing' | 'listed'> {
  const isPassedOver = kind === 'baseline' && !listing.isComplete;
  const listed = listing.projects.get(projectId);
  return {
    listing: kindOf(listing),
    listed: listed ?? (isPassedOver ? survey.listing.projects.get(projectId) : undefined),
  };
}

/** Counts the projects that have a snapshot, and how many of these the listing lacks. A `changes` pass looks
 *  at only some of the missing ones, so what it finds gone is not all. */
async function countMissing(
  { snapshots, process }: PassContext,
  heads: Heads | undefined,
  { projects }: Listing,
): Promise<{ known: number; missing: number }> {
  if (heads) return { known: heads.known, missing: heads.unlisted.filter(id => !projects.has(id)).length };
  let [known, missing] = [0, 0];
  for await (const page of snapshots.heads(process)) {
    known += page.length;
    missing += page.filter(({ projectId }) => !projects.has(projectId)).length;
  }
  return { known, missing };
}

/** Writes the rechecks found since the last call, and only then moves the progress: a later run starts after
 *  it. In an outage nothing is written, so that the later run looks at all of these projects again. */
async function save(
  { snapshots, process, clock, heartbeat, before }: PassContext,
  state: PassState,
  findings: Findings,
  reached?: string,
): Promise<void> {
  if (findings.areOutage) return;
  const changes = recheckChanges(before, findings.takeNew(), clock());
  await snapshots.writeRechecks(process, changes);
  for (const { projectId, after } of changes) {
    if (after) state.rechecks.set(projectId, after);
    else state.rechecks.delete(projectId);
  }
  state.skippedNoLonger.push(...skippedNoLonger(changes));
  if (reached !== undefined) heartbeat.reach(reached);
}

/** The heads of a process's snapshots (snapshots without content), read page by page for a walk in the order
 *  of `byKey`. */
export class Heads {
  /** How many snapshots there are, and of which projects the listing lacks; complete only after `toEnd`. */
  known = 0;
  readonly unlisted: string[] = [];
  readonly #heartbeat: Heartbeat;
  readonly #isListed: (projectId: string) => boolean;
  readonly #pages: AsyncIterator<readonly SnapshotHead[]>;
  #page = new Map<string, SnapshotHead>();
  #last: string | undefined;
  #isAtEnd = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ snapshots, process, heartbeat }: PassContext, isListed: (projectId: string) => boolean) {
    this.#heartbeat = heartbeat;
    this.#isListed = isListed;
    this.#pages = snapshots.heads(process)[Symbol.asyncIterator]();
  }

  /** The head of one project, if it has a snapshot. Call this in the order of `byKey`; calls need not be
   *  awaited in between. */
  of(projectId: string): Promise<SnapshotHead | undefined> {
    const mine = this.#turn.then(() => this.#find(projectId));
    this.#turn = mine;
    return mine;
  }

  /** Reads the pages that are left. */
  async toEnd(): Promise<void> {
    while (!this.#isAtEnd) await this.#advance();
  }

  async #find(projectId: string): Promise<SnapshotHead | undefined> {
    while (!this.#isAtEnd && (this.#last === undefined || byKey(this.#last, projectId) < 0))
      await this.#advance();
    return this.#page.get(projectId);
  }

  async #advance(): Promise<void> {
    const { done, value: page } = await this.#pages.next();
    await this.#heartbeat.beat();
    if (done) {
      this.#isAtEnd = true;
      return;
    }
    const [first] = page;
    const isAfter = !first || this.#last === undefined || byKey(this.#last, first.projectId) < 0;
    assert(isAfter, 'survey.heads-in-order');
    this.#page = new Map(page.map(head => [head.projectId, head]));
    this.#last = page.at(-1)?.projectId;
    this.known += page.length;
    for (const { projectId } of page) if (!this.#isListed(projectId)) this.unlisted.push(projectId);
  }
}
