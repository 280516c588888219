import type { JsonObject } from '../../json.ts';
import type { Probed } from '../../service/probe.ts';
import type { Finding } from '../protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { entryTimes, pathsNaming } from './audit-paths.ts';
import { type Examination, type Examined, failed, found } from './examination.ts';
import { type ListRead, readList, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { known, timeOf } from './times.ts';
import { updateField } from './update-field.ts';
import { counted, propertyList, shown, span, timeText } from './words.ts';

export const AUDIT = 'audit log';
const ORDER = 'audit log order';
const NAMES = 'audit log names projects';
const TIMES = 'audit log times';
const KEPT = 'audit log keeps';
const LAG = 'audit log shows edits';
const WATCH = 'Ask with --watch, and edit a task meanwhile.';

/** Whether there is an audit log for us, in which order, and what in an entry names its project (service-api.md §2.4, §4 #3). */
export const auditLog: Examination = {
  topic: AUDIT,
  async examine(asker) {
    const read = await readAudit(asker);
    if (read.failure && read.pages.length === 0) return judgeRefusal(read.failure);
    const { items, answers } = read;
    const on = { asked: answers, came: came(read) };
    if (items.length === 0) {
      const text = 'It has no entry: nothing of it can be seen yet.';
      return { findings: [found(AUDIT, 'unknown', text, { ...on, remedy: WATCH })] };
    }
    const findings = [
      found(AUDIT, 'fine', 'It can be read.', on),
      judgeOrder(items, on),
      judgeTimes(items, on),
      judgeNames(items, await projectIds(asker), on),
      await judgeKept(asker, read, on),
      await judgeLag(asker, read, on),
    ];
    return { findings };
  },
};

interface On {
  readonly asked: readonly Probed[];
  readonly came: string;
}

export const readAudit = (asker: Asker): Promise<ListRead> =>
  readList(asker, 'auditLog', ['processes', asker.process, 'auditlog'], { most: 8 });

function came({ items, isWhole }: ListRead): string {
  return `${items.length}${isWhole ? '' : ' and more'} entries`;
}

/** The projects that there are, by the identifier that paths take. */
export async function projectIds(asker: Asker): Promise<ReadonlySet<string>> {
  const { property = 'id' } = await projectKey(asker);
  const { items } = await readProjects(asker);
  return new Set(items.map(item => textOf(item[property])).filter(id => id !== ''));
}

function judgeRefusal(answer: Probed): Examined {
  const { status } = answer;
  if (status !== 403 && status !== 404) return { findings: [failed(AUDIT, answer)] };
  const text = `It is denied (${status}). Passes go on without it: deletions, and task edits that do not move their project, are told by the next sweep.`;
  const remedy =
    'Set auditLog, as below, so that nobody asks for it; or ask the operator of the service for access.';
  const finding = found(AUDIT, 'setting', text, { asked: [answer], came: `status ${status}`, remedy });
  return { findings: [finding], settings: { process: { auditLog: false } } };
}

/** Fewer could run one way by chance. */
const WITNESSES = 5;

export function judgeOrder(entries: readonly JsonObject[], on: On): Finding {
  const remedy =
    'Nothing to do: passes find it out when entries are added. To see it at once, ask with --watch.';
  const dated = entryTimes(entries);
  if (entries.length < WITNESSES || !dated) {
    const why = dated ? 'Too few entries show it.' : 'Entries have no time to tell it by.';
    return found(ORDER, 'unknown', why, { ...on, remedy });
  }
  const steps = dated.times.slice(1).map((time, index) => time - (dated.times[index] ?? time));
  const [rises, falls] = [steps.some(step => step > 0), steps.some(step => step < 0)];
  const times = [dated.times[0] ?? 0, dated.times.at(-1) ?? 0].map(timeText).join(' to ');
  const here = { ...on, came: `${shown(dated.path)} from ${times}` };
  if (rises === falls) {
    const text = rises ? 'Entries come in no order of their times.' : 'All entries have one time.';
    return found(ORDER, 'unknown', text, { ...here, remedy });
  }
  return found(ORDER, 'fine', rises ? 'Entries come oldest first.' : 'Entries come newest first.', here);
}

function judgeTimes(entries: readonly JsonObject[], on: On): Finding {
  const dated = entryTimes(entries);
  const keys = `entries with ${propertyList(Object.keys(entries[0] ?? {}))}`;
  if (dated)
    return found(TIMES, 'fine', `Entries tell their time in ${shown(dated.path)}.`, { ...on, came: keys });
  const text = 'Entries do not tell their time. Passes know new ones by their content.';
  return found(TIMES, 'fine', text, { ...on, came: keys });
}

export function judgeNames(entries: readonly JsonObject[], ids: ReadonlySet<string>, on: On): Finding {
  const paths = pathsNaming(entries, ids);
  if (paths.length > 0) {
    const came = `identifiers of projects in ${propertyList(paths)}`;
    return found(NAMES, 'fine', `${propertyList(paths.slice(0, 1))} names the project of an entry.`, {
      ...on,
      came,
    });
  }
  const keys = `entries with ${propertyList(Object.keys(entries[0] ?? {}))}, and no identifier of a project in them`;
  const text = 'No entry names a project that there is. Passes then learn nothing from the log.';
  const remedy =
    'If entries name projects by something else, set identifiers.project to that property of a project.';
  return found(NAMES, 'warning', text, { ...on, came: keys, remedy });
}

async function judgeKept(asker: Asker, { isWhole, items }: ListRead, on: On): Promise<Finding> {
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
/** Only of what was updated so lately can it be seen. */
const LATELY = 600_000;
const SAME_MS = 2_000;

async function judgeLag(asker: Asker, { items: entries, isWhole }: ListRead, on: On): Promise<Finding> {
  const { items, answers } = await readProjects(asker);
  const { name = '' } = await updateField(asker);
  const updates = known(items.map(item => timeOf(item[name])));
  const newest = updates.length > 0 ? Math.max(...updates) : undefined;
  const times = entryTimes(entries)?.times;
  const [answer] = answers;
  const now = answer?.date ?? answer?.at ?? asker.clock();
  // Of a long log that begins with the oldest, the last entries were not read.
  const hasLast = isWhole || (times && (times[0] ?? 0) > (times.at(-1) ?? 0));
  if (newest === undefined || !times || !hasLast || now - newest > LATELY) {
    return found(LAG, 'unknown', 'Nothing was updated in the last minutes, or nothing tells when.', {
      ...on,
      remedy: WATCH,
    });
  }
  const latest = Math.max(...times);
  const came = `the last update: ${timeText(newest)}; the last entry: ${timeText(latest)}`;
  if (latest >= newest - SAME_MS)
    return found(LAG, 'fine', 'It has an entry of the last update.', { ...on, came });
  const text = `It has no entry of the last update, ${span(now - newest)} after it: it lags behind, or has none for some edits.`;
  return found(LAG, 'warning', text, { ...on, came, remedy: WATCH });
}
