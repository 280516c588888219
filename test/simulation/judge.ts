import type { OperationsContext } from '../../functions/operations/context.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { RESTORE, verifySlice } from '../../functions/operations/verify.ts';
import { KEEP } from '../../functions/store/limits.ts';
import { type Action, type Actions, byKey, type Roster } from '../../functions/store/store.ts';
import { propertyOf } from '../../simulator/data/properties.ts';
import type { FieldKind } from '../../simulator/data/workspace.ts';
import { servedState, type Told, type ToldProject } from '../kit/told.ts';
import { checkArrivals } from './judge-arrivals.ts';
import { checkNeighbours } from './judge-neighbours.ts';
import { checkStarted, checkStartedIdle, checkWritesNothing } from './judge-schedule.ts';
import { Violation } from './oracle/violation.ts';
import type { WatchedProcess } from './oracle/watched-process.ts';
import { areClose, isTimed } from './plan/clocks.ts';
import { ENOUGH_MS, type Plan, runsBegunBy } from './plan.ts';
import type { Ended } from './pollers.ts';
import { auditPosition, isOnHold, isSweepUnfinished, release, rowsOf } from './restores.ts';
import { processIn, serviceBoundary } from './service-side.ts';
import { PROCESS, WORKSPACE } from './shared.ts';
import type { World } from './world.ts';

/** Longer than any lease, any lag of the service's views, and any tick of its clock. */
const CALM_MS = 600_000;
/** From one pass to the next, where none is overdue. */
const INTERVAL_MS = 30_000;
const RUN = { budget: 900_000, strikes: [] };
const SWEEPS = 2;

/** Faults and edits are over: from here on everything must come right, whatever happened before. */
export async function judge(world: World, plan: Plan): Promise<void> {
  await checkStarted(world, plan);
  await world.pass(CALM_MS + (areOne(plan) ? 0 : world.clocks.spread));
  for (const { id } of world.processes) await baseline(world, id);
  // The first pass may resume one that began before the calm: changes in the part that it had done
  // already are left to the next.
  await runs(world, 'changes');
  await runs(world, 'changes');
  checkVisibleIsTold(world, plan);
  await checkDue(world);
  for (const { entries, commits } of world.processes) {
    entries.checkAllTold();
    commits.source.checkRecovered();
  }
  for (const process of world.processes) {
    const served = servedNow(world, plan, process);
    process.commits.source.checkNoneSkipped(id => served[id] !== undefined);
  }
  for (const process of world.processes) await checkSwept(world, plan, process);
  // What a pass costs may differ from release to release.
  world.settleReleases();
  await checkResumption(world, plan);
  await checkDue(world);
  await checkIdle(world, plan);
  await checkCost(world, plan);
  if (isTimed(plan)) await checkListsNothing(world);
  await checkNeighbours(world, plan);
  for (const { entries } of world.processes) entries.checkAllTold();
  for (const { id } of world.processes) await checkVerified(world, id);
  await checkDelivered(world);
  await checkArrivals(world, plan, () => runs(world, 'changes', undefined, 0));
  checkSecrecy(world);
  checkExpiry(world);
}

const DAY_MS = 24 * 3_600_000;
/** The longest that a row is kept, and some days more. */
const LONGEST_KEPT_MS = 410 * DAY_MS;

/** Checks that rows which expire are kept for days at least, and not for ever. */
function checkExpiry({ storage, scheduler }: World): void {
  const count = (after: number) => JSON.stringify([...storage.expire(after)].filter(([, left]) => left > 0));
  const [before, soon] = [count(0), count(scheduler.wall + DAY_MS)];
  if (soon !== before) throw new Violation(11, `of ${before}, ${soon} is left after a day`);
  const late = count(scheduler.wall + LONGEST_KEPT_MS);
  if (late !== '[]') throw new Violation(6, `${late} is kept for ever`);
}

/** Longer than what follows takes. */
const AHEAD_MS = 6 * 3_600_000;

/** Checks that what falls due is emitted by the next pass, until nothing more does so soon. */
async function checkDue(world: World): Promise<void> {
  for (;;) {
    const began = Math.min(world.clocks.of(0)(), world.clocks.of(1)());
    await runs(world, 'changes', undefined, 0);
    for (const { due } of world.processes) due.checkTold(began);
    const next = Math.min(...world.processes.map(({ due }) => due.next));
    if (next > began + AHEAD_MS) return;
    await world.pass(Math.max(next - began, 0) + CALM_MS);
  }
}

/** Checks that everything that was committed is delivered, or dead, and that nothing else waits. */
export async function checkDelivered(world: World): Promise<void> {
  world.publisher.sendRejected();
  // Only an operator resumes endpoints that were stopped.
  await world.resumeEndpoints({ all: false });
  await world.until(() => world.isQuiet, 'everything is delivered');
  const { added, configured } = world.delivery;
  world.deliveries.checkAllArrived(['http', ...configured], world.lost);
  if (added) world.deliveries.checkWanted(added, world.lost);
  const present = new Set([...configured, ...(added ? [added.name] : [])]);
  world.deliveries.checkReplayed(present);
  world.deliveries.snapshots.check(present);
}

/** Whether our two clocks are close all the time, and the service sends a `Date` header always or never.
 *  Otherwise a lease of a poller with a clock ahead lasts longer for the other one, and what was read by one
 *  clock seems newer by another. */
function areOne(plan: Plan): boolean {
  return areClose(plan) && plan.steps.every(step => step.do !== 'date');
}

/** Checks that two sweeps find all that there is. */
async function checkSwept(world: World, plan: Plan, process: WatchedProcess): Promise<void> {
  const { id, commits } = process;
  const sweep = async () => {
    for (let made = 0; made < SWEEPS; made++) await runs(world, 'sweep', [id]);
  };
  await sweep();
  // After a release, deletions that are left may be held again, up to the last project: each is again the
  // operator's decision.
  for (let released = 0; released < 3 && isOnHold(world, id); released++) {
    release(world, id);
    await sweep();
  }
  if (isOnHold(world, id)) throw new Violation(1, `${id} was released, but is still on hold`);
  commits.source.checkNothingOwed();
  for (const apart of differences(world, plan, process))
    throw new Violation(1, `two sweeps left project ${apart.id} apart:${both(apart)}`);
  for (const entity of ['project', 'task'] as const)
    commits.fields.checkServed(entity, world.service.backend.edit.fields(id, entity));
}

/** Completes the baseline of a process, if no run has yet. */
async function baseline(world: World, processId: string): Promise<void> {
  const { commits } = world.processes.find(({ id }) => id === processId) as WatchedProcess;
  for (let attempt = 0; !commits.told && attempt < 3; attempt++) await ended(world, 'sweep', [processId]);
  if (!commits.told) throw new Violation(1, `the baseline of ${processId} does not end`);
}

/** Makes one run, which must complete its passes: those of `changes` of all processes, by default, a sweep of the first. */
async function runs(
  world: World,
  mode: 'changes' | 'sweep',
  processes?: readonly string[],
  pause = CALM_MS,
): Promise<void> {
  const all = processes ?? world.processes.map(({ id }) => id).slice(0, mode === 'sweep' ? 1 : undefined);
  const outcomes = await ended(world, mode, all);
  const wrong = [...outcomes].find(([, outcome]) => outcome !== 'completed');
  if (wrong) throw new Violation(1, `a ${mode} pass of ${wrong[0]} in calm ended as ${wrong[1]}`);
  await world.pass(pause);
}

/** How a run ends, by process. */
async function ended(
  world: World,
  mode: 'changes' | 'sweep',
  processes: readonly string[] = [PROCESS],
  budget = RUN.budget,
): Promise<ReadonlyMap<string, string>> {
  const run = world.pollers.run({ ...RUN, mode, budget, processes });
  const ended = await world.done(run, `a ${mode} run ends`);
  return new Map(processes.map(id => [id, outcomeOf(ended, id)]));
}

function outcomeOf(ended: Ended, processId: string): string {
  if (!ended) return 'dead';
  if ('error' in ended) return `failed: ${ended.error.message}`;
  const polled = ended.report.processes.get(processId);
  if (!polled) return ended.report.outcome;
  return 'error' in polled ? `failed: ${polled.error.message}` : polled.report.outcome;
}

/** The requests so far that concern the process that most of the plan is about. */
function requestsOf({ service }: World): readonly string[] {
  return service.requests.filter(path => [PROCESS, undefined].includes(processIn(path)));
}

/** Checks that one `changes` pass, without any sweep, has told everything that update times or the audit
 *  log show. */
function checkVisibleIsTold(world: World, plan: Plan): void {
  const enough = wasAuditRefused(plan) ? ['by its update time'] : ['by its update time', 'by the audit log'];
  const excused = new Set(
    world.service.edits.filter(edit => !enough.includes(edit.visible)).flatMap(edit => edit.projects),
  );
  for (const apart of differences(world, plan, world.main)) {
    if (excused.has(apart.id) || isLeftToSweep(world, plan, apart)) continue;
    throw new Violation(1, `project ${apart.id} changed for all to see, but was not told:${both(apart)}`);
  }
}

/** A project that was told otherwise than it is served. */
interface Apart {
  readonly id: string;
  readonly told: ToldProject | undefined;
  readonly served: ToldProject | undefined;
}

function differences(world: World, plan: Plan, process: WatchedProcess): Apart[] {
  const [told, served] = [toldNow(world, process), servedNow(world, plan, process)];
  const ids = [...new Set([...Object.keys(told), ...Object.keys(served)])];
  return ids
    .map(id => ({ id, told: told[id], served: served[id] }))
    .filter(one => JSON.stringify(ordered(one.told)) !== JSON.stringify(ordered(one.served)));
}

/** Whether a `changes` pass may leave this project to the sweep, although its change was visible. */
function isLeftToSweep(world: World, plan: Plan, { id, told, served }: Apart): boolean {
  // A sweep that found one may have died behind the first part of its commit: some of its tasks are told, and all as they are.
  if (world.commits.passedOver.has(id) && (!told || isToldInPart(told, served))) return true;
  // With different clocks, a project that was made again may seem older than its deletion
  // (docs/decisions/0058).
  if (served) return !areOne(plan) && !told && mayBeMadeAgain(world, plan, id);
  // If the listing changed while it was read, or a run had no time to read it twice, a project without tasks is
  // left to the sweep (docs/decisions/0019).
  const isPressed = plan.steps.flatMap(runsBegunBy).some(({ budget }) => budget < ENOUGH_MS);
  if ((plan.sluggish || plan.restless || isPressed) && hasNoTasks(told)) return true;
  const { withoutTaskList, uncertain } = world.commits.source;
  if (withoutTaskList.has(id) || (uncertain.has(id) && plan.steps.some(step => step.do === 'meet')))
    return true;
  if (world.entries.createdBehind.has(id)) return true;
  // With different clocks, a snapshot may seem newer than the listing (docs/decisions/0042).
  if (!areOne(plan)) return true;
  // Deletions in bulk wait for an operator; those that are left when the hold ends are the next sweep's.
  return world.commits.events.some(({ type }) => type === 'source.held');
}

function isToldInPart(told: ToldProject, served: ToldProject | undefined): boolean {
  if (!served) return false;
  const tasks = Object.fromEntries(Object.entries(served.tasks).filter(([id]) => id in told.tasks));
  return JSON.stringify(ordered(told)) === JSON.stringify(ordered({ ...served, tasks }));
}

function mayBeMadeAgain(world: World, plan: Plan, id: string): boolean {
  const wasDeleted = world.commits.events.some(
    ({ type, data }) => type === 'project.deleted' && 'project' in data && data.project.id === id,
  );
  return wasDeleted && !isTimed(plan);
}

function hasNoTasks(project: ToldProject | undefined): boolean {
  return Object.keys(project?.tasks ?? {}).length === 0;
}

/** Whether the audit log was refused at some time: what it showed then is left to the next sweep. */
function wasAuditRefused({ steps }: Plan): boolean {
  return steps
    .flatMap(runsBegunBy)
    .some(({ strikes }) =>
      strikes.some(
        ({ boundary, fault }) => boundary === 'service.audit log' && (fault === '403' || fault === '404'),
      ),
    );
}

/** Checks that a sweep that runs out of time half-way is resumed by the next one, which ends
 *  it and does not begin anew. */
async function checkResumption(world: World, { concurrency }: Plan): Promise<void> {
  const began = world.scheduler.now;
  await ended(world, 'sweep');
  const whole = world.scheduler.now - began;
  const asked = async (budget: number) => {
    await world.pass(CALM_MS);
    world.service.requests = [];
    world.service.answered = [];
    const outcome = (await ended(world, 'sweep', [PROCESS], budget)).get(PROCESS);
    const pages = world.service.requests.flatMap(tasksOf);
    return { outcome, pages, answered: world.service.answered.flatMap(tasksOf), projects: new Set(pages) };
  };
  // A short run begins no project in its second half, so it gets through 0.7 of the sweep.
  const first = await asked(whole * 1.4);
  if (first.outcome !== 'unfinished') return;
  const second = await asked(RUN.budget);
  if (isSweepUnfinished(world))
    throw new Violation(1, 'a sweep that ran out of time was not taken up by the next one');
  // While the task list of the first project is still being read there is no progress, whatever else is done: a request for it
  // was not answered in time (more requests than are under way at once may have come after it), or was one of the last.
  const [leader] = [...first.projects].sort(byKey);
  const ofLeader = (pages: readonly string[]) => pages.filter(id => id === leader).length;
  if (ofLeader(first.answered) < ofLeader(first.pages)) return;
  if (leader !== undefined && first.pages.slice(-concurrency).includes(leader)) return;
  const twice = [...first.projects].filter(id => second.projects.has(id));
  // Only projects that were under way, and those done after the last saved progress, may be asked for
  // twice.
  if (first.projects.size > 2 * concurrency + 1 && twice.length === first.projects.size)
    throw new Violation(6, `a sweep that ran out of time began anew: it asked again for ${twice.join(', ')}`);
}

function tasksOf(path: string): string[] {
  const id = /\/projects\/([^/]+)\/tasks/.exec(path)?.[1];
  return id === undefined ? [] : [id];
}

/** Checks what a pass over unchanged data asks and writes. */
async function checkIdle(world: World, plan: Plan): Promise<void> {
  // A pass that is overdue writes all the same. By our own clock a project counts as settled after two passes have shown it; the first pass in
  // the calm may have resumed an older one.
  const settling = isTimed(plan) ? 1 : 2;
  for (let made = 0; made < settling; made++) await runs(world, 'changes', undefined, INTERVAL_MS);
  const rows = rowsOf(world, PROCESS);
  world.service.requests = [];
  await checkWritesNothing(world, () => runs(world, 'changes'));
  // Where our own clock tells the time, the latest projects are listed again, and the time of that is kept.
  const isSame = JSON.stringify(rowsOf(world, PROCESS)) === JSON.stringify(rows);
  if (isTimed(plan) && !isSame) throw new Violation(5, 'an idle pass wrote rows of its process');
  const requests = requestsOf(world);
  if (requests.length > idleRequests(world, plan))
    throw new Violation(5, `an idle pass asked ${requests.join(', ')}`);
  await checkStartedIdle(world, plan, idleRequests(world, plan));
}

/** The most requests of an idle pass: for the listing and the audit log. A log whose order is not known
 *  yet is read at both ends. Where neither a `Date` header nor a record tells the service's time, the
 *  latest projects are listed again, here in tiny pages. */
function idleRequests(world: World, plan: Plan): number {
  const audit = auditPosition(world)?.order === 'unknown' ? 2 : 1;
  if (isTimed(plan)) return audit + 1;
  const { size } = world.service.backend.workspace().processes.get(PROCESS)?.projects ?? { size: 0 };
  // All projects may be listed again. A list that ends with a full page has an empty page after it.
  const pages = Math.floor(size / plan.pageSize.projects) + 1;
  // A list of several pages is read twice, to see whether it changed.
  return audit + (pages === 1 ? 1 : 2 * pages);
}

/** Checks the cost of one changed project, whatever else there is: listing, audit log, both definitions,
 *  and its tasks, twice at most. */
async function checkCost(world: World, { pageSize, audit, freedoms }: Plan): Promise<void> {
  // Where the order of the log is not known, a page may show entries again that were seen before.
  const atBothEnds = auditPosition(world)?.order === 'unknown' ? pageSize.auditLog : 0;
  // Where entries are told, a log that was purged may be read from its beginning (docs/decisions/0114).
  const { auditRetention = Number.POSITIVE_INFINITY } = freedoms;
  const inAll = audit && Number.isFinite(auditRetention) ? auditRetention : 0;
  const namesTwice = Math.max(atBothEnds, inAll);
  const [record] = world.service.backend.edit.projects(PROCESS);
  if (record === undefined) return;
  const projectId = String(record.id ?? record.projectId);
  // The audit entry has the project's name: a number in it could be another project's identifier.
  const text = JSON.stringify(record);
  world.service.backend.edit.updateProject(PROCESS, projectId, { state: 'At the end' });
  world.service.history.note();
  world.service.requests = [];
  await runs(world, 'changes');
  const requests = requestsOf(world);
  const others = new Set(requests.flatMap(tasksOf).filter(id => id !== projectId && !text.includes(id)));
  if (others.size <= namesTwice) return;
  throw new Violation(6, `one project changed, but it asked for ${[...others].join(', ')} too`);
}

/** Checks that the watermark moves past a project that one pass has read and the next one lists again, unchanged: else each pass
 *  would list it. */
async function checkListsNothing(world: World): Promise<void> {
  const { backend, history } = world.service;
  const [id] = backend.workspace().processes.get(PROCESS)?.projects.keys() ?? [];
  if (id === undefined) return;
  backend.edit.updateProject(PROCESS, id, { state: 'Read once' });
  history.note();
  await world.pass(INTERVAL_MS);
  for (let made = 0; made < 2; made++) await runs(world, 'changes');
  world.service.requests = [];
  await runs(world, 'changes');
  for (const path of requestsOf(world)) {
    if (serviceBoundary({ path }) !== 'service.projects') continue;
    const after = Date.parse(new URLSearchParams(path.split('?')[1]).get('updatedAfter') ?? '');
    const { updatedAt } = backend.workspace().processes.get(PROCESS)?.projects.get(id) ?? { updatedAt: 0 };
    if (updatedAt > after) throw new Violation(6, `an idle pass lists a project again: ${path}`);
  }
}

/** Checks that `changewire verify` finds nothing. */
async function checkVerified(
  { storage, processes, scheduler, replaced }: World,
  process: string,
): Promise<void> {
  const restore = { operation: RESTORE, at: replaced } as Action;
  const ports = {
    ...storage.readers,
    processes: async () => processes.map(({ id: processId }) => ({ workspace: WORKSPACE, processId })),
    roster: { list: async () => [] } as unknown as Roster,
    actions: { list: async () => ({ actions: [restore], position: undefined }) } as unknown as Actions,
    keep: KEEP,
    clock: () => scheduler.wall,
  };
  const found = await verifyProcess(asked => verifySlice(ports as unknown as OperationsContext, asked), {
    process,
  });
  if (found.isBaselined && found.unsettled === 0 && found.mismatches.length === 0) return;
  throw new Violation(4, `verify finds of ${process}: ${JSON.stringify(found)}`);
}

function checkSecrecy({ secrets, said, processes }: World): void {
  secrets.check('a log', said.join('\n'));
  for (const { commits } of processes) {
    secrets.check('an event', [...commits.texts.values()].join('\n'));
    secrets.check('a snapshot', JSON.stringify(commits.snapshots));
  }
}

/** What was told, without fields that are archived or deleted now, whose last values stay told. */
function toldNow(world: World, process: WatchedProcess): Told {
  const hidden = {
    project: hiddenProperties(world, process, 'project'),
    task: hiddenProperties(world, process, 'task'),
  };
  const strip = (record: object, names: ReadonlySet<string>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
  return Object.fromEntries(
    Object.entries(process.commits.told ?? {}).map(([id, { project, tasks }]) => [
      id,
      {
        project: strip(project, hidden.project),
        tasks: Object.fromEntries(
          Object.entries(tasks).map(([task, record]) => [task, strip(record, hidden.task)]),
        ),
      } as ToldProject,
    ]),
  );
}

/** The properties of fields that are archived or deleted now. */
function hiddenProperties(
  { service }: World,
  { id, history }: WatchedProcess,
  kind: FieldKind,
): ReadonlySet<string> {
  const active = service.backend.edit.fields(id, kind).filter(field => !field.archived);
  const shown = new Set(active.map(field => field.externalId));
  const gone = [...history.fieldsEver(kind)].filter(externalId => !shown.has(externalId));
  return new Set(gone.map(externalId => propertyOf(kind, externalId)));
}

function servedNow(world: World, { freedoms }: Plan, { id }: WatchedProcess): Told {
  const { taskIdProperty = 'id', projectIdProperty = 'id' } = freedoms;
  return servedState(world.service.backend.edit, id, record =>
    String(record[taskIdProperty] ?? record[projectIdProperty]),
  );
}

function ordered(project: ToldProject | undefined) {
  return project && [project.project, Object.entries(project.tasks).sort()];
}

function both({ told, served }: Apart): string {
  return `\n  told   ${JSON.stringify(told)}\n  served ${JSON.stringify(served)}`;
}
