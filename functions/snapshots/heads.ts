import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../basics/process.ts';
import { behindProject, PROJECT_PREFIX, partition, projectOf } from './keys.ts';
import { queryPages } from './query-items.ts';
import type { SnapshotHead } from './snapshots.ts';
import type { Table } from './table.ts';

/** Without the blob; an item that holds no more than a part of one has no `projectId`. */
const IS_HEAD = {
  ProjectionExpression: 'sk, version, recordReadAt, untimed, tasksReadAt, recordDigest, tasksDigest',
  FilterExpression: 'attribute_exists(projectId)',
};

/** The heads of a process's snapshots in key order, a page at a time; the next is asked for while the caller is busy with one. */
export async function* headsOf(
  table: Table,
  process: ProcessKey,
  after?: string,
): AsyncIterable<readonly SnapshotHead[]> {
  const behind = after === undefined ? undefined : behindProject(after);
  const pages = queryPages(table, partition(process), PROJECT_PREFIX, { ...IS_HEAD, behind });
  for await (const items of oneAhead(pages)) if (items.length > 0) yield items.map(headOf);
}

/** What a project's item says beside its content. */
export function headOf(item: Record<string, AttributeValue>): SnapshotHead {
  const [record, tasks] = [item.recordDigest?.S, item.tasksDigest?.S];
  return {
    projectId: projectOf(item.sk?.S as string),
    version: Number(item.version?.N),
    recordReadAt: Number(item.recordReadAt?.N),
    ...(item.untimed?.BOOL && { untimed: true }),
    tasksReadAt: Number(item.tasksReadAt?.N),
    ...((record ?? tasks) !== undefined && {
      digests: { record, tasks },
    }),
  };
}

async function* oneAhead<Page>(pages: AsyncIterable<Page>): AsyncIterable<Page> {
  const iterator = pages[Symbol.asyncIterator]();
  for (let next = iterator.next(); ; ) {
    const { value, done } = await next;
    if (done) return;
    next = iterator.next();
    // Nobody hears of its failure where the caller takes no more.
    next.catch(() => undefined);
    yield value;
  }
}
