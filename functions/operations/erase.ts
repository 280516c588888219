import * as z from 'zod';
import { mapInParallel } from '../basics/in-parallel.ts';
import { jsonOf } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import { readEvent } from '../delivery/read-event.ts';
import type { Attempt, NewDelivery } from '../model/delivery.ts';
import { eraseEvent, isAbout, isErased, isOfProject, type ProjectKey } from '../model/erase.ts';
import type { ChangeEvent } from '../model/event.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { CONCURRENCY, cursorTo, readCursor, searchJournal, WHOLE_JOURNAL } from './page.ts';
import { namesOf, processesOf } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

const SLICE_TIMEOUT_MS = 2_000;
/** Rows read at once. */
const PAGE = 100;
const MAX_ACTIONS = 1_000;

/** First the journal, from which replays and operators would send events again. A delivery that is given up moves from
 *  the backlog to the dead letters, so these follow; one that an operator sends again moves back. */
const STEPS = ['journal', 'backlog', 'dead', 'requeued', 'attempts'] as const;
type Step = (typeof STEPS)[number];

/** Where a slice ended: its step, the endpoint, and the last row that was read; and whether anything of the project was
 *  found so far. */
const place = z.strictObject({
  isFound: z.literal(true).optional(),
  step: z.enum(STEPS),
  endpoint: z.string().optional(),
  row: z.string().optional(),
});
type Place = z.infer<typeof place>;

type Counts = AnswerOf<'erase'>['erased'];

interface Task {
  readonly context: OperationsContext;
  readonly key: ProjectKey;
  readonly dryRun: boolean;
  readonly erased: { -readonly [Kind in keyof Counts]: Counts[Kind] };
  /** Successful deliveries by endpoint. */
  readonly delivered: Map<string, number>;
  /** Whether anything of the project was found, erased or not. */
  isFound: boolean;
}

/** Erases a slice of the contents of a project's events. Everything that it does can be repeated, so that an
 *  interrupted client starts again without a cursor.
 *  @throws Refused if no process, or several, have or had the project; if one is named, if nothing of it is kept */
export const eraseProject: OperationOf<'erase'> = async (context, asked) => {
  const { project, dryRun = false } = asked;
  const { process, isInService, hasTrace } = await processOf(context, asked);
  const { workspace, processId } = process;
  const begun = readCursor('erase', asked.cursor, place);
  const task: Task = {
    isFound: hasTrace || begun?.isFound === true,
    ...{ context, dryRun, key: { workspace, processId, projectId: project } },
    erased: { events: 0, deliveries: 0, deadLetters: 0, answers: 0 },
    delivered: new Map(),
  };
  const began = context.clock();
  const names = await endpointNames(context);
  let next: Place | undefined = begun ?? { step: 'journal' };
  while (next && context.clock() - began < SLICE_TIMEOUT_MS) next = await eraseSome(task, next, names);
  if (!next && !task.isFound)
    throw new Refused(
      'Nothing is kept of a project with this id in this process. Check both: the list of events shows ids.',
    );
  const answer = {
    ...{ ...namesOf(process), project, erased: task.erased, isInService, dryRun },
    delivered: [...task.delivered].map(([endpoint, deliveries]) => ({ endpoint, deliveries })),
    ...cursorTo('erase', next && { ...next, ...(task.isFound && { isFound: true }) }),
  };
  const { events, deliveries, deadLetters, answers } = task.erased;
  if (dryRun || events + deliveries + deadLetters + answers === 0) return { answer };
  return acted({ process: { workspace, processId } }, answer, [
    ...[`project ${project}`, `${events} events`, `${deliveries} deliveries`],
    ...[`${deadLetters} dead letters`, `${answers} answers`],
  ]);
};

/** The process of the project. */
async function processOf(
  context: OperationsContext,
  { project, process, workspace }: Pick<RequestOf<'erase'>, 'project' | 'process' | 'workspace'>,
): Promise<{ readonly process: ProcessKey; readonly isInService: boolean; readonly hasTrace: boolean }> {
  const all = (await processesOf(context, { process, workspace })) ?? (await context.processes());
  const { snapshots } = context;
  const states = await mapInParallel(all, CONCURRENCY, async each => {
    const isInService = (await snapshots.withSnapshot(each, [project])).has(project);
    const hasTrace = isInService || (await snapshots.tombstone(each, project)) !== undefined;
    return { process: each, isInService, hasTrace };
  });
  const traced = states.filter(({ hasTrace }) => hasTrace);
  const found = traced.length === 0 && process !== undefined ? states : traced;
  const [one, ...others] = found;
  if (!one)
    throw new Refused(
      'No process has a project with this id, or had one in the last 30 days. Check the id; or specify a process to search its events anyway.',
    );
  if (others.length === 0) return one;
  const names = found.map(each => `${each.process.processId} (${each.process.workspace})`);
  throw new Refused(`Several processes have a project with this id. Specify one: ${names.join(', ')}.`);
}

/** Also those that were removed, while something of them is stored: a removal leaves attempts. */
async function endpointNames(context: OperationsContext): Promise<string[]> {
  const { configured, endpoints, deliveries } = context;
  const rows = await endpoints.list();
  const more = (await deliveries.endpoints?.()) ?? (await actedOn(context));
  return [...new Set([...configured, ...rows].map(({ name }) => name)).union(new Set(more))].toSorted();
}

/** The endpoints in the action log, which is kept longer than attempts. */
async function actedOn({ actions }: OperationsContext): Promise<string[]> {
  const names: string[] = [];
  let after: string | undefined;
  do {
    const page = await actions.list(undefined, MAX_ACTIONS, after);
    names.push(...page.actions.flatMap(({ subject }) => ('endpoint' in subject ? subject.endpoint : [])));
    after = page.position;
  } while (after !== undefined);
  return names;
}

/** Erases the next page, and returns where it ended; undefined at the end of all. */
async function eraseSome(task: Task, at: Place, endpoints: readonly string[]): Promise<Place | undefined> {
  const { step, endpoint = '', row } = at;
  const following = STEPS[STEPS.indexOf(step) + 1];
  const [first] = endpoints;
  if (step === 'journal') {
    const last = await eraseEvents(task, row);
    if (last !== undefined) return { step, row: last };
    return first === undefined ? undefined : { step: 'backlog', endpoint: first };
  }
  const last = await ERASE[step](task, endpoint, row);
  if (last !== undefined) return { step, endpoint, row: last };
  const next = endpoints.find(name => name > endpoint);
  if (next !== undefined) return { step, endpoint: next };
  return following && { step: following, ...(first !== undefined && { endpoint: first }) };
}

/** @returns the last record that was read, if there are more */
async function eraseEvents(task: Task, from?: string): Promise<string | undefined> {
  const { context, key, dryRun, erased } = task;
  const search = { ...WHOLE_JOURNAL, order: 'oldest-first', processes: [key], from } as const;
  const found: string[] = [];
  const isLeft = (event: ChangeEvent) => isAbout(event, key) && !isErased(event);
  let last = from;
  const isLast = await searchJournal(context, search, record => {
    if (record.position === from) return false;
    last = record.position;
    // Events about the process have no project in their keys.
    if (!record.isOf(key.projectId) && !record.isOf('')) return false;
    const events = record.events().filter(event => isAbout(event, key));
    task.isFound ||= events.length > 0;
    const count = events.filter(isLeft).length;
    erased.events += count;
    if (count > 0) found.push(last);
    return found.length === PAGE;
  });
  // Another erasure may have changed them since.
  const change = (events: readonly ChangeEvent[]) =>
    events.map(event => (isLeft(event) ? eraseEvent(event) : event));
  if (!dryRun) for (const position of found) await context.journal.replace(position, change);
  return isLast ? undefined : last;
}

/** Each erases a page of an endpoint's rows after one, and returns the last one that was read, if there are more. */
const ERASE: Record<
  Exclude<Step, 'journal'>,
  (task: Task, endpoint: string, row: string | undefined) => Promise<string | undefined>
> = {
  backlog: async (task, endpoint, row) => {
    const { deliveries } = task.context;
    const after = row === undefined ? undefined : (jsonOf(row) as { at: number; place: string } | undefined);
    const read = await deliveries.pending(endpoint, PAGE, after);
    const places = placesOf(read, task);
    task.erased.deliveries += places.length;
    if (!task.dryRun && places.length > 0) await deliveries.remove(endpoint, places);
    return lastOf(read, ({ at, place }) => JSON.stringify({ at, place }));
  },
  dead: async (task, endpoint, row) => {
    const { deliveries } = task.context;
    if (!task.dryRun && row === undefined) await deliveries.dropThreads(endpoint, task.key);
    const read = await deliveries.dead(endpoint, PAGE, row);
    const places = placesOf(read, task);
    task.erased.deadLetters += places.length;
    if (!task.dryRun && places.length > 0) await deliveries.removeDead(endpoint, places);
    return lastOf(read, ({ place }) => place);
  },
  // Where nothing is erased, they would be counted twice.
  requeued: async (task, ...rest) => (task.dryRun ? undefined : ERASE.backlog(task, ...rest)),
  attempts: async (task, endpoint, row) => {
    const { delivered, key } = task;
    const { deliveries } = task.context;
    const after = row === undefined ? undefined : (jsonOf(row) as Pick<Attempt, 'at' | 'events'> | undefined);
    const read = await deliveries.attempts(endpoint, PAGE, { after, oldestFirst: true });
    for (const { failure, events } of read) {
      const sent = failure === undefined ? events.filter(({ id }) => isOfProject(id, key)).length : 0;
      if (sent > 0) delivered.set(endpoint, (delivered.get(endpoint) ?? 0) + sent);
    }
    const quoting = read.filter(
      ({ answer, events }) => answer !== undefined && events.some(event => mayQuote(event, key)),
    );
    task.erased.answers += quoting.length;
    task.isFound ||= delivered.size > 0;
    if (!task.dryRun && quoting.length > 0)
      await deliveries.note(quoting.map(({ answer: _, ...attempt }) => attempt));
    return lastOf(read, ({ at, events: [first] }) => JSON.stringify({ at, events: first ? [first] : [] }));
  },
};

/** Whether a receiver may have answered the event with contents of the project. The id of an audit entry's event names
 *  no project. */
function mayQuote({ id, type }: { readonly id: string; readonly type: string }, key: ProjectKey): boolean {
  return isOfProject(id, key) || (type === 'audit.recorded' && isOfProject(id, { ...key, projectId: '' }));
}

/** The deliveries of the project's events, by their bodies: an id does not name the workspace. */
function placesOf(deliveries: readonly (NewDelivery & { readonly place: string })[], task: Task): string[] {
  const places = deliveries.flatMap(({ body, place }) => {
    const read = readEvent(body);
    return 'event' in read && isAbout(read.event, task.key) ? [place] : [];
  });
  task.isFound ||= places.length > 0;
  return places;
}

function lastOf<Row>(rows: readonly Row[], text: (row: Row) => string): string | undefined {
  const last = rows[PAGE - 1];
  return last && text(last);
}
