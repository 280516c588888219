import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import {
  type Dated,
  datedProjects,
  idsIn,
  isUnchanged,
  MAX_TRIES,
  SETTLED,
  serviceTime,
  updatedSince,
} from './dated.ts';
import { failed, found } from './examination.ts';
import type { ListRead } from './lists.ts';
import { timeText } from './words.ts';

const TOPIC = 'updatedAfter at the very time';
const NEITHER = 'Nothing to do: passes ask from two minutes before.';

/** Whether `updatedAfter` with a project's own update time returns the project. It counts only if the project was
 *  not updated again before both answers came. */
export async function judgeEdge(asker: Asker): Promise<Finding> {
  const asked: Probed[] = [];
  let projects = await datedProjects(asker);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const dated = chosen(projects, await serviceTime(asker));
    if (!dated) {
      const on = { asked, came: 'no update time to ask with', remedy: NEITHER };
      return found(TOPIC, 'unknown', 'Nothing tells when a project was updated.', on);
    }
    // In this order: what comes with the earlier time is shown already.
    const before = await updatedSince(asker, dated.time - 1, { again: true });
    const at = await updatedSince(asker, dated.time, { again: true });
    asked.push(...before.answers, ...at.answers);
    const failure = at.failure ?? before.failure;
    if (failure) return failed(TOPIC, failure);
    projects = await datedProjects(asker, { again: true });
    if (isUnchanged(dated, projects)) return judgeAnswers(asker, dated, { before, at });
  }
  const on = { asked, came: 'the project was updated again', remedy: NEITHER };
  return found(TOPIC, 'unknown', 'Projects were edited while they were asked for.', on);
}

async function judgeAnswers(
  asker: Asker,
  dated: Dated,
  { before, at }: { readonly before: ListRead; readonly at: ListRead },
): Promise<Finding> {
  const [hasAt, hasBefore] = [await idsIn(asker, at), await idsIn(asker, before)].map(ids =>
    ids.has(dated.id),
  );
  const says = (comes: boolean | undefined) => (comes ? 'comes' : 'does not come');
  const came = `a project of ${timeText(dated.time)}: ${says(hasAt)} with that time, ${says(hasBefore)} with 1 ms less`;
  const on = { asked: [...at.answers, ...before.answers], came };
  // After very many later ones, it may be on a page that was not read.
  if (!hasBefore || !(hasAt || at.isWhole))
    return found(TOPIC, 'unknown', 'The project was not shown.', { ...on, remedy: NEITHER });
  const text = hasAt
    ? 'It is inclusive: what was updated at that very time comes, too.'
    : 'It is exclusive: what was updated at that very time does not come.';
  return found(TOPIC, 'fine', text, on);
}

const MOST_LATER = 100;

/** A project whose update is old enough to show for sure, but with few enough later ones that it is on a page
 *  that is read. */
function chosen(dated: readonly Dated[], now: number): Dated | undefined {
  const settled = dated.findIndex(({ time }) => time < now - SETTLED);
  return dated[settled < 0 || settled > MOST_LATER ? 0 : settled];
}
