import type { JsonObject } from '../basics/json.ts';
import { factsOf } from '../pass/audit-log/entry-facts.ts';
import type { Probed } from '../service/probe.ts';
import { confirmed, MAX_TRIES, pageBody, readLog, tasksPage } from './asker.ts';
import {
  counted,
  type Evidence,
  type Judged,
  listed,
  shown,
  span,
  timeText,
  topicOf,
  WATCH,
} from './finding.ts';
import { identifierOf } from './records.ts';
import { entryTimes, isSameList, leaves, namedIn, pathsNaming, type Survey } from './survey.ts';
import { known, orderOf, RECENT_MS, textOf, timeOf } from './update-time.ts';

export const AUDIT = topicOf('audit log');
export const LOG_ORDER = topicOf('audit log order');
export const LOG_NAMES = topicOf('audit log names projects');
export const LOG_LAG = topicOf('audit log shows edits');
const LOG_TIMES = topicOf('audit log times');
const LOG_USERS = topicOf('audit log names users');
const LOG_KEEPS = topicOf('audit log keeps');
const DELETED = topicOf('deleted projects');

/** Fewer entries could be in order by chance. */
const MIN_SAMPLES = 5;
const DAY_MS = 24 * 60 * 60 * 1000;
const SAME_MS = 2_000;
const MAX_DELETED = 3;

/** Whether the audit log can be read, its order, and what its entries name (service-api.md §2.4, §4 #3). */
export async function examineLog(survey: Survey): Promise<Judged[]> {
  const { items, answers, pages, failure, isWhole } = survey.log;
  if (failure && pages.length === 0) return [judgeRefusal(failure)];
  const on = { asked: answers, came: `${items.length}${isWhole ? '' : ' and more'} entries` };
  if (items.length === 0) return [AUDIT.unknown('It has no entries yet.', on, WATCH)];
  const judges = [judgeOrder, judgeTimes, judgeNames, judgeUsers, judgeKept];
  const findings = judges.map(judge => judge(survey, on));
  return [AUDIT.fine('It can be read.', on), ...findings, await examineLag(survey, on)];
}

function judgeRefusal(answer: Probed): Judged {
  const { status } = answer;
  if (status !== 403 && status !== 404) return AUDIT.failed(answer);
  const text = `Access denied (${status}). Passes work without it: the next sweep finds deletions, and task edits that do not change the update time of their project.`;
  const remedy =
    'Set auditLog as below, so that passes stop requesting it; or ask the operator of the service for access.';
  const on = { asked: [answer], came: `status ${status}` };
  return AUDIT.setting(text, on, { process: { auditLog: false } }, remedy);
}

function judgeOrder({ log: { items } }: Survey, on: Evidence): Judged {
  const remedy =
    'No action needed: passes detect it when entries are added. To see it now, run the doctor with --watch.';
  const dated = entryTimes(items);
  if (items.length < MIN_SAMPLES || !dated) {
    const why = dated
      ? 'Too few entries to determine it.'
      : 'Entries have no timestamp to determine it from.';
    return LOG_ORDER.unknown(why, on, remedy);
  }
  const { path, times } = dated;
  const ends = [times[0] ?? 0, times.at(-1) ?? 0].map(timeText).join(' to ');
  const here = { ...on, came: `${shown(path)} from ${ends}` };
  const order = orderOf(times);
  if (order === 'oldest' || order === 'newest') return LOG_ORDER.fine(`Entries come ${order} first.`, here);
  const why = order === 'mixed' ? 'Entries are not sorted by time.' : 'All entries have the same time.';
  return LOG_ORDER.unknown(why, here, remedy);
}

const keysOf = ([first = {}]: readonly JsonObject[]) => `entries with ${listed(Object.keys(first))}`;

function judgeTimes({ log: { items } }: Survey, { asked }: Evidence): Judged {
  const dated = entryTimes(items);
  const text = dated
    ? `The time of an entry is in ${shown(dated.path)}.`
    : 'Entries have no timestamp. Passes recognise new ones by their content.';
  return LOG_TIMES.fine(text, { asked, came: keysOf(items) });
}

const idsOf = ({ projects: { items }, idOf }: Pick<Survey, 'projects' | 'idOf'>): ReadonlySet<string> =>
  new Set(items.map(idOf).filter(id => id !== ''));

function judgeNames(survey: Survey, { asked }: Evidence): Judged {
  const { items } = survey.log;
  const ids = idsOf(survey);
  const paths = pathsNaming(items, ids);
  if (paths.length > 0) {
    const on = { asked, came: `identifiers of projects in ${listed(paths)}` };
    return LOG_NAMES.fine(`${listed(paths.slice(0, 1))} names the project of an entry.`, on);
  }
  const on = { asked, came: `${keysOf(items)}, and no identifier of a project in them` };
  if (ids.size === 0 || !survey.projects.isWhole)
    return LOG_NAMES.unknown('No entry names a project that was read.', on, WATCH);
  const text = 'No entry names an existing project. Passes learn nothing from the log.';
  const remedy = 'If entries name projects by another property, set identifiers.project to that property.';
  return LOG_NAMES.warning(text, on, remedy);
}

/** Whether events can name the users of a change: the number of entries that allow it (decision 0115). */
function judgeUsers({ log, users }: Survey, on: Evidence): Judged {
  const property = identifierOf('user', users.items) ?? 'id';
  const ids = new Set(users.items.map(user => textOf(user[property])).filter(id => id !== ''));
  const facts = log.items.map(entry => factsOf(entry, Number.POSITIVE_INFINITY));
  const naming = facts.filter(fact => fact.users.flat().some(id => ids.has(id)));
  const dated = naming.filter(({ time }) => time !== undefined);
  const of = `${dated.length} of ${log.items.length} entries`;
  const asked = [...on.asked, ...users.answers];
  const here = { asked, came: `${ids.size} users; ${of} name one, with a time` };
  if (dated.length > 0)
    return LOG_USERS.fine(`${of} name a user and a time: events name the user who made such a change.`, here);
  const why = naming.length > 0 ? 'Entries have no timestamp' : 'No entry names a listed user';
  return LOG_USERS.fine(`${why}: events do not name the user who made a change.`, here);
}

/** Whether the log drops old entries. If not, it should go back to the creation of the oldest project. */
function judgeKept({ projects, log: { items, isWhole } }: Survey, on: Evidence): Judged {
  const created = known(projects.items.map(item => timeOf(item.createdAt ?? item.created ?? item.createdOn)));
  const first = created.length > 0 ? Math.min(...created) : undefined;
  const oldest = entryTimes(items)?.times.reduce((one, other) => Math.min(one, other));
  const remedy = 'No action needed while passes run more often than entries are removed.';
  if (!isWhole || first === undefined || oldest === undefined)
    return LOG_KEEPS.unknown('Could not determine whether old entries are removed.', on, remedy);
  const came = `the oldest of ${items.length} entries: ${timeText(oldest)}; the oldest project: ${timeText(first)}`;
  if (oldest <= first + DAY_MS)
    return LOG_KEEPS.fine('No sign that old entries are removed.', { ...on, came });
  const text = `Old entries were removed, or never existed: the log begins ${span(oldest - first)} after the oldest project, and has ${counted(items.length, 'entry')}.`;
  return LOG_KEEPS.fine(text, { ...on, came }, remedy);
}

/** Whether the log has the latest update. It is read again for some seconds: entries may come later than edits. */
async function examineLag({ asker, projects, log, timeOf, now }: Survey, on: Evidence): Promise<Judged> {
  const newest = Math.max(...known(projects.items.map(timeOf)));
  const times = entryTimes(log.items)?.times;
  // If a long log begins with the oldest entries, the latest ones were not read.
  const hasLast = log.isWhole || (times && (times[0] ?? 0) > (times.at(-1) ?? 0));
  if (!times || !hasLast || now() - newest > RECENT_MS)
    return LOG_LAG.unknown(
      'Nothing was updated in the last minutes, or update times are missing.',
      on,
      WATCH,
    );
  let latest = Math.max(...times);
  for (let tries = 1; tries < MAX_TRIES && latest < newest - SAME_MS; tries += 1) {
    await asker.wait();
    latest = Math.max(latest, ...(entryTimes((await readLog(asker)).items)?.times ?? []));
  }
  const waited = span(now() - newest);
  const here = { ...on, came: `the last update: ${timeText(newest)}; the last entry: ${timeText(latest)}` };
  if (latest >= newest - SAME_MS)
    return LOG_LAG.fine(`It had an entry for the last update within ${waited}.`, here);
  const text = `It had no entry for the last update after ${waited}: entries are late, or some edits get none.`;
  return LOG_LAG.warning(text, here, WATCH);
}

/** How the task list of a deleted project is answered: a 404 confirms the deletion at once. */
export async function examineDeleted(survey: Survey): Promise<Judged[]> {
  let asked: Probed[] = [];
  const found = await confirmed<Judged>(survey, async projects => {
    const gone = projects.isWhole ? goneIds({ ...survey, projects }) : [];
    asked = [];
    for (const id of gone.slice(0, MAX_DELETED)) asked.push(await tasksPage(survey.asker, id, 1));
    // A project created after the list was read is in the log too.
    return asked.length === 0
      ? judgeDeleted(asked)
      : after => (isSameList(survey, projects, after) ? judgeDeleted(asked) : undefined);
  });
  const on = { asked, came: 'different projects each time' };
  return [found ?? DELETED.unknown('Projects were edited during the check.', on, 'Run the doctor again.')];
}

function judgeDeleted(asked: readonly Probed[]): Judged {
  const isMissing = asked.some(({ status }) => status === 404);
  const isEmpty = asked.some(({ body }) => body !== undefined && pageBody(body).items.length === 0);
  const on = { asked, came: asked.map(({ status }) => `status ${status}`).join(', ') || 'nothing' };
  if (isEmpty && !isMissing) {
    const text =
      'Their task list is empty instead of a 404: the second sweep that does not find the project confirms and publishes the deletion.';
    return DELETED.fine(text, on);
  }
  if (isMissing && !isEmpty)
    return DELETED.fine('Their task list returns 404: the next sweep publishes the deletion.', on);
  const remedy =
    'To find out, delete a project and run the doctor again. No action needed: both are supported.';
  const why =
    asked.length > 0 ? 'Their task lists answer differently.' : 'No deleted project found in the audit log.';
  return DELETED.unknown(why, on, remedy);
}

/** The identifiers that the audit log has where it names projects, and that no project has. */
function goneIds(survey: Survey): string[] {
  const { items } = survey.log;
  const ids = idsOf(survey);
  const [path] = pathsNaming(items, ids);
  const named = items.toReversed().flatMap(entry => leaves(entry).filter(leaf => leaf.path === path));
  const texts = named.map(({ value }) => textOf(value));
  // The text before an identifier: empty, or the beginning of a path.
  const prefixes = texts.flatMap(text => {
    const id = namedIn(text, ids);
    return id === undefined ? [] : [text.slice(0, text.indexOf(id))];
  });
  const all = [...new Set(prefixes)].flatMap(prefix =>
    texts.flatMap(text => (text.startsWith(prefix) ? text.slice(prefix.length).split('/', 1) : [])),
  );
  return [...new Set(all)].filter(id => id !== '' && !ids.has(id) && id.length < 100);
}
