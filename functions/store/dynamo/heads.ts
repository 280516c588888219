import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { ProcessKey } from '../../basics/process.ts';
import { decodeContent } from '../codec.ts';
import { behindProject, PROJECT_PREFIX, partition, projectOf } from '../keys.ts';
import type { Snapshot, SnapshotHead } from '../snapshots.ts';
import { queryPages } from './query-items.ts';
import type { Table } from './table.ts';

type Item = Record<string, AttributeValue>;

/** Items that only hold a further part of a snapshot have no `projectId`. */
const IS_HEAD = 'attribute_exists(projectId)';
const HEAD = {
  ProjectionExpression: 'sk, version, recordReadAt, untimed, tasksReadAt, recordDigest, tasksDigest',
};
/** DynamoDB charges the same for a head with or without its content, but the content takes the caller time to
 *  receive. */
const WITH_CONTENT = {
  ProjectionExpression: `${HEAD.ProjectionExpression}, parts, #blob`,
  ExpressionAttributeNames: { '#blob': 'blob' },
};

/** Loading one snapshot by a request of its own takes as long as receiving so many contents with their heads. */
const CONTENTS_PER_REQUEST = 32;

/** The heads of a process's snapshots in key order, a page at a time; the next page is asked for while the
 *  caller works on one. Contents are read along with the heads, except after a page of which the caller
 *  wanted almost none. */
export async function* headsOf(
  table: Table,
  process: ProcessKey,
  after?: string,
): AsyncIterable<readonly SnapshotHead[]> {
  const behind = after === undefined ? undefined : behindProject(after);
  let areWanted = true;
  const pages = queryPages(table, partition(process), PROJECT_PREFIX, {
    behind,
    FilterExpression: IS_HEAD,
    ofEach: () => (areWanted ? WITH_CONTENT : HEAD),
  });
  for await (const items of oneAhead(pages)) {
    // The page holds nothing but parts of large snapshots.
    if (items.length === 0) continue;
    let wanted = 0;
    yield items.map(item => new Head(item, () => ++wanted));
    areWanted = wanted * CONTENTS_PER_REQUEST >= items.length;
  }
}

/** A head; it has its content at hand if that was read along, and fits the one item. */
class Head implements SnapshotHead {
  declare readonly projectId: string;
  declare readonly version: number;
  declare readonly recordReadAt: number;
  declare readonly tasksReadAt: number;
  readonly #item: Item;
  readonly #onWanted: () => void;

  constructor(item: Item, onWanted: () => void) {
    Object.assign(this, headOf(item));
    this.#item = item;
    this.#onWanted = onWanted;
  }

  whole(): Snapshot | undefined {
    const { parts, blob } = this.#item;
    this.#onWanted();
    return parts?.N === '0' ? snapshotOf(this.#item, blob?.B as Uint8Array) : undefined;
  }
}

/** The snapshot in a project's item; `bytes`: those of its content, also of the parts in other items. */
export function snapshotOf(item: Item, bytes: Uint8Array): Snapshot {
  const { projectId, ...head } = headOf(item);
  return { ...head, ...decodeContent(bytes), parts: Number(item.parts?.N) };
}

/** What a project's item says beside its content. */
export function headOf(item: Item): SnapshotHead {
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
    // If the caller stops here, nobody awaits this page: its failure would be an unhandled rejection.
    next.catch(() => undefined);
    yield value;
  }
}
