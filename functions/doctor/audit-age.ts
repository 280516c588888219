import type { Finding } from '../operations/protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { entryTimes } from './audit-paths.ts';
import { found, type Seen } from './examination.ts';
import { type ListRead, readAudit, readProjects } from './lists.ts';
import { known, timeOf } from './times.ts';
import { updateField } from './update-field.ts';
import { counted, span, timeText } from './words.ts';

const KEPT = 'audit log keeps';
const LAG = 'audit log shows edits';
const WATCH = 'Ask with --watch, and edit a task meanwhile.';

/** Whether the log drops old entries. If not, it should go back to the creation of the oldest project. */
export async function judgeKept(asker: Asker, { isWhole, items }: ListRead, on: Seen): Promise<Finding> {
  const projects = await readProjects(asker);
  const created = known(projects.items.map(item => timeOf(item.createdAt ?? item.created ?? item.createdOn)));
  const first = created.length > 0 ? Math.min(...created) : undefined;
  const oldest = entryTimes(items)?.times.reduce((one, other) => Math.min(one, other));
  const remedy = 'Nothing to do while passes run more often than entries go.';
  if (!isWhole || first === undefined || oldest === undefined) {
    const text = 'It can not be seen whether old entries go.';
    return found(KEPT, 'unknown', text, { ...on, remedy });
  }
  const came = `the oldest of ${items.length} entries: ${timeText(oldest)}; the oldest project: ${timeText(first)}`;
  if (oldest <= first + A_DAY)
    return found(KEPT, 'fine', 'Nothing shows that old entries go.', { ...on, came });
  const text = `Old entries are gone, or never were: it begins ${span(oldest - first)} after the oldest project, and has ${counted(items.length, 'entry')}.`;
  return found(KEPT, 'fine', text, { ...on, came, remedy });
}

const A_DAY = 24 * 60 * 60 * 1000;
/** Only updates of so lately can show the lag. */
const LATELY = 600_000;
const SAME_MS = 2_000;

/** Whether the log has the latest update already. */
export async function judgeLag(
  asker: Asker,
  { items: entries, isWhole }: ListRead,
  on: Seen,
): Promise<Finding> {
  const { items, answers } = await readProjects(asker);
  const { name = '' } = await updateField(asker);
  const updates = known(items.map(item => timeOf(item[name])));
  const newest = updates.length > 0 ? Math.max(...updates) : undefined;
  const times = entryTimes(entries)?.times;
  const [answer] = answers;
  const now = answer?.date ?? answer?.at ?? asker.clock();
  // If a long log begins with the oldest entries, the latest ones were not read.
  const hasLast = isWhole || (times && (times[0] ?? 0) > (times.at(-1) ?? 0));
  if (newest === undefined || !times || !hasLast || now - newest > LATELY) {
    return found(LAG, 'unknown', 'Nothing was updated in the last minutes, or nothing tells when.', {
      ...on,
      remedy: WATCH,
    });
  }
  const again = await untilTold(asker, newest, times);
  const waited = span(now - newest + again.waited);
  const came = `the last update: ${timeText(newest)}; the last entry: ${timeText(again.latest)}`;
  if (again.latest >= newest - SAME_MS)
    return found(LAG, 'fine', `It has an entry of the last update, within ${waited}.`, { ...on, came });
  const text = `It has no entry of the last update, ${waited} after it: it lags behind, or has none for some edits.`;
  return found(LAG, 'warning', text, { ...on, came, remedy: WATCH });
}

const ASKINGS = 3;
const BETWEEN = 4_000;

/** Reads the log again for some seconds, because an entry may come a little later than its edit. */
async function untilTold(asker: Asker, newest: number, times: readonly number[]) {
  const began = asker.clock();
  let latest = Math.max(...times);
  for (let asking = 1; asking < ASKINGS && latest < newest - SAME_MS; asking += 1) {
    await asker.wait(BETWEEN);
    const { items } = await readAudit(asker, { again: true });
    latest = Math.max(latest, ...(entryTimes(items)?.times ?? []));
  }
  return { latest, waited: asker.clock() - began };
}
