import type { JsonObject } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { judgeKept, judgeLag } from './audit-age.ts';
import { entryTimes, pathsNaming } from './audit-paths.ts';
import { judgeUsers } from './audit-users.ts';
import { type Examination, type Examined, failed, found, type Seen } from './examination.ts';
import { type ListRead, readAudit, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { propertyList, shown, timeText } from './words.ts';

export const AUDIT = 'audit log';
const ORDER = 'audit log order';
const NAMES = 'audit log names projects';
const TIMES = 'audit log times';
const WATCH = 'Ask with --watch, and edit a task meanwhile.';

/** Whether the audit log can be read, in which order it is, and which part of an entry names its project
 *  (service-api.md §2.4, §4 #3). */
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
      await judgeNames(asker, items, on),
      await judgeUsers(asker, items, on),
      await judgeKept(asker, read, on),
      await judgeLag(asker, read, on),
    ];
    return { findings };
  },
};

function came({ items, isWhole }: ListRead): string {
  return `${items.length}${isWhole ? '' : ' and more'} entries`;
}

/** The identifiers of all projects, as paths take them. */
export async function projectIds(asker: Asker, how: { again?: boolean } = {}): Promise<ReadonlySet<string>> {
  const { property = 'id' } = await projectKey(asker);
  const { items } = await readProjects(asker, how);
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

/** Fewer entries could be in order by chance. */
const WITNESSES = 5;

export function judgeOrder(entries: readonly JsonObject[], on: Seen): Finding {
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

function judgeTimes(entries: readonly JsonObject[], on: Seen): Finding {
  const dated = entryTimes(entries);
  const keys = `entries with ${propertyList(Object.keys(entries[0] ?? {}))}`;
  if (dated)
    return found(TIMES, 'fine', `Entries tell their time in ${shown(dated.path)}.`, { ...on, came: keys });
  const text = 'Entries do not tell their time. Passes know new ones by their content.';
  return found(TIMES, 'fine', text, { ...on, came: keys });
}

async function judgeNames(asker: Asker, entries: readonly JsonObject[], on: Seen): Promise<Finding> {
  const ids = await projectIds(asker);
  const { isWhole } = await readProjects(asker);
  const paths = pathsNaming(entries, ids);
  if (paths.length > 0) {
    const came = `identifiers of projects in ${propertyList(paths)}`;
    return found(NAMES, 'fine', `${propertyList(paths.slice(0, 1))} names the project of an entry.`, {
      ...on,
      came,
    });
  }
  const keys = `entries with ${propertyList(Object.keys(entries[0] ?? {}))}, and no identifier of a project in them`;
  if (ids.size === 0 || !isWhole) {
    const text = 'No entry names a project that was read.';
    return found(NAMES, 'unknown', text, { ...on, came: keys, remedy: WATCH });
  }
  const text = 'No entry names a project that there is. Passes then learn nothing from the log.';
  const remedy =
    'If entries name projects by something else, set identifiers.project to that property of a project.';
  return found(NAMES, 'warning', text, { ...on, came: keys, remedy });
}
