import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import {
  datedIn,
  idsIn,
  MAX_TRIES,
  SETTLED,
  serviceTime,
  updatedAfterTomorrow,
  updatedSince,
} from './dated.ts';
import { type Examination, failed, found } from './examination.ts';
import { type ListRead, readProjects } from './lists.ts';
import { judgeEdge } from './updated-edge.ts';
import { examineLag } from './updated-lag.ts';
import { counted } from './words.ts';

const TOPIC = 'updatedAfter';
const FORMS = 'updatedAfter in other forms';

/** How `updatedAfter` works (service-api.md §4.2): whether it has an effect, includes the given time, and
 *  lags behind. */
export const updatedAfter: Examination = {
  topic: TOPIC,
  async examine(asker) {
    const future = await updatedAfterTomorrow(asker);
    if (future.failure) return { findings: [refused(future.failure)] };
    const works = await judgeWorks(asker, future);
    if (works.verdict === 'warning') return { findings: [works] };
    const lag = await examineLag(asker);
    return { ...lag, findings: [works, await judgeEdge(asker), await judgeForms(asker), ...lag.findings] };
  },
};

function refused(came: Probed): Finding {
  if (came.status !== 400) return failed(TOPIC, came);
  const remedy =
    'Without it passes can not ask for changes; sweeps alone see them. Ask the operator of the service.';
  return found(TOPIC, 'warning', 'It is refused.', { asked: [came], came: 'status 400', remedy });
}

async function judgeWorks(asker: Asker, future: ListRead): Promise<Finding> {
  const { items, answers } = await readProjects(asker);
  const late = future.items.length;
  const came = `${counted(items.length, 'project')} in all, ${late} that were updated after tomorrow`;
  const on = { asked: [...answers.slice(0, 1), ...future.answers], came };
  if (items.length === 0) return found(TOPIC, 'unknown', 'There is no project to see it by.', on);
  if (late === 0) return judgeAll(asker, on);
  const remedy =
    'Every pass reads all projects. It misses nothing, and costs more: set changes to a longer time.';
  return found(TOPIC, 'warning', 'It is ignored: projects come whenever they were updated.', {
    ...on,
    remedy,
  });
}

const EVER = Date.UTC(2001, 0, 1);

/** Whether a very old `updatedAfter` returns all projects. Recent updates don't count, because they may show
 *  late. */
async function judgeAll(asker: Asker, on: { asked: readonly Probed[]; came: string }): Promise<Finding> {
  const asked = [...on.asked];
  let listing = await readProjects(asker);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { isWhole, items } = listing;
    const past = await updatedSince(asker, EVER, { again: true });
    asked.push(...past.answers);
    const shown = await idsIn(asker, past);
    const dated = await datedIn(asker, items);
    const settled = (await serviceTime(asker)) - SETTLED;
    const never = dated.filter(({ id, time }) => time < settled && !shown.has(id)).length;
    if (!isWhole || !past.isWhole || (never === 0 && (dated.length > 0 || shown.size === items.length)))
      return found(TOPIC, 'fine', 'It works.', on);
    listing = await readProjects(asker, { again: true });
    if (JSON.stringify(listing.items) !== JSON.stringify(items)) continue;
    if (dated.length === 0) {
      const text = `${counted(items.length - shown.size, 'project')} of ${items.length} did not come with it: they are shown late, or never.`;
      return found(TOPIC, 'unknown', text, { ...on, asked, remedy: 'Ask the doctor again in some minutes.' });
    }
    const text = `${counted(never, 'project')} of ${items.length} never come with it, whenever they were updated.`;
    const remedy = 'Their changes are told by sweeps only: set sweep to a shorter time.';
    return found(TOPIC, 'warning', text, { ...on, asked, remedy });
  }
  const text = 'Some projects did not come with it, and projects were edited while they were asked for.';
  return found(TOPIC, 'unknown', text, { ...on, asked, remedy: 'Ask the doctor again.' });
}

async function judgeForms(asker: Asker): Promise<Finding> {
  const path = ['processes', asker.process, 'projects'];
  const day = await asker.get(path, { first: 1, updatedAfter: '2001-01-01' });
  const zoneless = await asker.get(path, { first: 1, updatedAfter: '2001-01-01T00:00:00' });
  const how = ({ status, body }: Probed) =>
    body === undefined ? `refused (${status ?? 'no answer'})` : 'taken';
  const came = `a date ${how(day)}, a time without a zone ${how(zoneless)}`;
  const text = `A date is ${how(day)}, a time without a zone ${how(zoneless)}. Passes send a time with its zone.`;
  return found(FORMS, 'fine', text, { asked: [day, zoneless], came });
}
