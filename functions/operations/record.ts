import { mapInParallel } from '../basics/in-parallel.ts';
import type { ProcessKey } from '../basics/process.ts';
import { named } from '../changes/build-events.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { OperationOf } from './context.ts';
import { CONCURRENCY, iso } from './page.ts';
import { namesOf, processesOf } from './processes.ts';
import { Refused } from './refused.ts';

/** The stored snapshot of a project, or of one of its tasks. */
export const showRecord: OperationOf<'record'> = async (context, { project, task, ...asked }) => {
  const processes = (await processesOf(context, asked)) ?? (await context.processes());
  const loaded = await mapInParallel(processes, CONCURRENCY, async process => ({
    process,
    snapshot: await context.snapshots.load(process, project),
  }));
  const { process, snapshot } = onlyOne(loaded);
  const { content, version, recordReadAt, tasksReadAt } = snapshot;
  const record = task === undefined ? content.record : content.tasks.get(task);
  if (!record) throw new Refused(`This project has no task with this id. ${DELETED}`);
  return {
    ...namesOf(process),
    project: named(project, content.record),
    ...(task !== undefined && { task: named(task, record) }),
    sequence: String(version),
    readAt: iso(task === undefined ? recordReadAt : tasksReadAt),
    record,
    ...(task === undefined && { tasks: content.tasks.size }),
  };
};

const DELETED = 'If it was deleted, its events are in the journal until they expire.';

interface Found {
  readonly process: ProcessKey;
  readonly snapshot: Snapshot;
}

/** @throws Refused unless one process has the project */
function onlyOne(loaded: readonly { process: ProcessKey; snapshot: Snapshot | undefined }[]): Found {
  const found = loaded.flatMap(({ process, snapshot }) => (snapshot ? [{ process, snapshot }] : []));
  const [one, ...others] = found;
  if (!one) throw new Refused(`There is no project with this id. ${DELETED}`);
  if (others.length === 0) return one;
  const names = found.map(({ process }) => `${process.processId} (${process.workspace})`);
  throw new Refused(`Several processes have a project with this id. Specify one: ${names.join(', ')}.`);
}
