import * as z from 'zod';
import type { ProcessKey } from '../basics/process.ts';
import { compareProject, keepArchived, type Rules, rulesOf } from '../changes/compare-project.ts';
import type { ProjectContent } from '../model/snapshot.ts';
import { ServiceError } from '../service/errors.ts';
import type { Service } from '../service/service.ts';
import { TornSnapshotError } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { cursorTo, readCursor } from './page.ts';
import { ignoredOf } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';
import { meaningOf, subjectOf } from './verify/facts.ts';

type Ports = Pick<OperationsContext, 'snapshots' | 'processes' | 'connectService' | 'clock'>;
type Answer = AnswerOf<'verify'>;
type Found = NonNullable<Answer['service']>;

/** A slice ends after this time, and at this number of differences. */
const SLICE_TIMEOUT_MS = 15_000;
const MAX_DIFFERENCES = 2_000;
/** Requests at once: passes share the service's limit. */
const CONCURRENCY = 2;
const RUN_MS = 5 * 60_000;

/** The cursor of a page of the listing and the next project on it; then the last one of those that it lacks. */
const place = z.strictObject({
  after: z.string().optional(),
  index: z.int(),
  isListed: z.boolean().optional(),
});
type Place = z.infer<typeof place>;

/** Reads a slice of the process from the service, and compares each project with its snapshot. Then those that
 *  have a snapshot, but are not listed. A change that no pass has read yet differs, too.
 *  @throws Refused if the service cannot be read, or nothing runs that has its address */
export async function readService(
  context: Ports,
  process: ProcessKey,
  { projects, cursor }: Pick<RequestOf<'verify'>, 'projects' | 'cursor'>,
): Promise<Partial<Answer>> {
  const { definitions, baselined } = await context.snapshots.readState(process);
  if (!baselined) return { isBaselined: false };
  const began = context.clock();
  const connection = context.connectService(process.workspace, CONCURRENCY);
  const wanted = projects && new Set(projects);
  try {
    const reading: Reading = {
      ...{ context, process, found: { projects: 0, unreadable: [], differences: [] } },
      service: connection.open({ deadline: began + RUN_MS }),
      rules: rulesOf(definitions, await ignoredOf(context, process)),
      isWanted: id => !wanted || wanted.has(id),
      isFull: () => context.clock() - began > SLICE_TIMEOUT_MS,
    };
    const begun = readCursor('verify', cursor, place) ?? { index: 0 };
    const next = begun.isListed ? await compareUnlisted(reading, begun) : await compareListed(reading, begun);
    return { service: reading.found, ...cursorTo('verify', next) };
  } catch (error) {
    if (error instanceof ServiceError)
      throw new Refused(`The service cannot be read: ${error.message}. Try again when it can.`);
    throw error;
  } finally {
    await connection.close();
  }
}

interface Reading {
  readonly context: Ports;
  readonly process: ProcessKey;
  readonly service: Service;
  readonly rules: Rules;
  readonly found: Found;
  readonly isWanted: (projectId: string) => boolean;
  readonly isFull: () => boolean;
}

/** @returns where the next slice begins */
async function compareListed(reading: Reading, { after, index: first }: Place): Promise<Place> {
  const { service, process, found, isWanted, isFull } = reading;
  let index = first;
  for await (const page of service.projects(process.processId, { after })) {
    for (const { id, fields, flaw } of page.items.slice(index)) {
      index += 1;
      if (!isWanted(id)) continue;
      found.projects += 1;
      if (flaw) found.unreadable.push({ project: id, reason: flaw.message });
      else await compareOne(reading, id, fields);
      if (isFull() || found.differences.length > MAX_DIFFERENCES)
        return { ...(page.after !== undefined && { after: page.after }), index };
    }
    index = 0;
  }
  return { index: 0, isListed: true };
}

/** @returns where the next slice begins, if there is one */
async function compareUnlisted(
  { context, service, process, found, isWanted }: Reading,
  { after }: Place,
): Promise<Place | undefined> {
  const listed = new Set<string>();
  for await (const { items } of service.projects(process.processId))
    for (const { id } of items) listed.add(id);
  for await (const heads of context.snapshots.heads(process, after))
    for (const { projectId } of heads) {
      if (!isWanted(projectId) || listed.has(projectId)) continue;
      found.differences.push({ record: subjectOf(projectId), service: ABSENT, snapshot: PRESENT });
      if (found.differences.length > MAX_DIFFERENCES) return { after: projectId, index: 0, isListed: true };
    }
  return undefined;
}

const [PRESENT, ABSENT] = ['present', 'absent'];

async function compareOne(reading: Reading, id: string, record: ProjectContent['record']): Promise<void> {
  const { context, service, process, rules, found } = reading;
  try {
    const tasks = new Map<string, ProjectContent['record']>();
    for await (const { items } of service.tasks(process.processId, id))
      for (const task of items) {
        if (task.flaw) throw task.flaw;
        tasks.set(task.id, task.fields);
      }
    const snapshot = await context.snapshots.load(process, id);
    const read = keepArchived(snapshot?.content, { record, tasks }, rules);
    found.differences.push(...differencesOf(id, snapshot?.content, read, rules));
  } catch (error) {
    const isOfProject =
      error instanceof TornSnapshotError || (error instanceof ServiceError && error.scope === 'project');
    if (!isOfProject) throw error;
    found.unreadable.push({ project: id, reason: error.message });
  }
}

function differencesOf(
  projectId: string,
  known: ProjectContent | undefined,
  read: ProjectContent,
  rules: Rules,
): Found['differences'] {
  return compareProject(projectId, known, read, rules).flatMap(({ entity, action, id, fields }) => {
    const record = entity === 'project' ? subjectOf(id) : subjectOf(projectId, id);
    if (action === 'created') return [{ record, service: PRESENT, snapshot: ABSENT }];
    if (action === 'deleted') return [{ record, service: ABSENT, snapshot: PRESENT }];
    const values = fields.map(({ field, from, to }) => ({
      ...{ record, field, service: meaningOf(field, to, id), snapshot: meaningOf(field, from, id) },
    }));
    return values.filter(({ service, snapshot }) => service !== snapshot);
  });
}
