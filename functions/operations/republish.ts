import * as z from 'zod';
import type { ProcessKey } from '../basics/process.ts';
import type { ChangeRecord } from '../store/change-records.ts';
import type { KnownProcess } from '../store/processes.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';
import type { StackHouse } from './stack-house.ts';

type House = Pick<StackHouse, 'changeRecords' | 'publish'> & {
  readonly processes: () => Promise<readonly KnownProcess[]>;
};

/** The process, and the key of its last record that was published; empty at its beginning. */
const place = z.tuple([z.tuple([z.string(), z.string()]), z.string()]);

/** Publishes the next slice of the change records of a stretch of time once more, each process's in the order
 *  of its commits. If a crash interrupts it, the same cursor repeats the slice, under the same ids.
 *  @throws Refused for an unknown process, and when nothing of the slice was published */
export async function republish(asked: RequestOf<'republish'>, house: House): Promise<Republished> {
  const { dryRun = false } = asked;
  const [since, until] = [Date.parse(asked.since), Date.parse(asked.until)];
  if (since >= until)
    throw new Refused('The time to publish again ends before it begins.', { isUsage: true });
  const [begun, behind = ''] = readCursor('republish', asked.cursor, place) ?? [];
  const left = (await wanted(asked.processes, house)).filter(
    process => begun === undefined || keyOf(process) >= JSON.stringify(begun),
  );
  const [process, next] = left;
  if (!process) return { answer: { events: 0, records: 0, dryRun }, process: undefined };
  const isBegun = begun !== undefined && keyOf(process) === JSON.stringify(begun);
  const stretch = { since, until, behind: isBegun && behind !== '' ? behind : undefined };
  const { records, isLast } = await house.changeRecords.read(process, stretch);
  const done = dryRun ? records : await published(records, process, house);
  const last = done.at(-1);
  const isOver = isLast && done.length === records.length;
  const following = isOver ? next && placeOf(next, '') : placeOf(process, last?.sk ?? behind);
  const answer = {
    events: done.reduce((sum, { events }) => sum + events, 0),
    records: done.length,
    process: process.processId,
    ...(last && { readTo: iso(last.at) }),
    ...(following && { cursor: cursorOf('republish', following) }),
    dryRun,
  };
  return { answer, process: { workspace: process.workspace, processId: process.processId } };
}

/** The answer for one slice, and the process that it belongs to. */
interface Republished {
  readonly answer: AnswerOf<'republish'>;
  readonly process: ProcessKey | undefined;
}

async function published(
  records: readonly ChangeRecord[],
  { processId }: KnownProcess,
  { publish }: House,
): Promise<readonly ChangeRecord[]> {
  const [first] = records;
  if (!first) return [];
  const done = records.slice(0, await publish(records));
  if (done.length > 0) return done;
  throw new Refused(
    `SNS does not take what process ${processId} committed at ${iso(first.at)}: see the log of the publish function. ` +
      'What was committed before that was published; go on from there, with --since.',
  );
}

async function wanted(ids: readonly string[] | undefined, { processes }: House): Promise<KnownProcess[]> {
  const all = [...(await processes())].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (!ids) return all;
  if (ids.some(id => all.every(({ processId }) => processId !== id)))
    throw new Refused('There is no process of this identifier. The status lists all that there are.');
  return all.filter(({ processId }) => ids.includes(processId));
}

function keyOf({ workspace, processId }: KnownProcess): string {
  return JSON.stringify([workspace, processId]);
}

function placeOf({ workspace, processId }: KnownProcess, behind: string): z.infer<typeof place> {
  return [[workspace, processId], behind];
}
