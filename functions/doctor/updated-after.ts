import type { JsonObject } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import { type Asker, confirmed, type ListRead, MAX_TRIES, projectsPage, readProjects } from './asker.ts';
import {
  type Asked,
  counted,
  failed,
  fine,
  type Judged,
  setting,
  span,
  timeText,
  unknown,
  WATCH,
  warning,
} from './finding.ts';
import type { Check, Survey } from './survey.ts';

const TOPIC = 'updatedAfter';
const EDGE = 'updatedAfter at the very time';
const FORMS = 'updatedAfter in other forms';
export const LAG = 'updatedAfter shows updates';

/** How `updatedAfter` works (service-api.md §4.2): whether it has an effect, includes the given time, and
 *  shows updates late. */
export const updatedAfter: Check = {
  topic: TOPIC,
  async examine(survey) {
    const works = await examineEffect(survey);
    const { failure } = survey.future;
    if (failure || works.verdict === 'warning') return [works];
    const lag = await examineLag(survey);
    return [works, await examineEdge(survey), await examineForms(survey), lag];
  },
};

const EVER = Date.UTC(2001, 0, 1);
/** Updates that are older than this show everywhere. */
const SETTLED_MS = 600_000;

/** Whether it is taken, leaves projects out, and, for a very old time, returns all of them. Recent updates
 *  don't count there, because they may show late. */
async function examineEffect({ asker, projects, future, idOf, timeOf, now }: Survey): Promise<Judged> {
  if (future.failure) return judgeFailure(future.failure);
  const total = projects.items.length;
  const late = future.items.length;
  const asked = [...projects.answers.slice(0, 1), ...future.answers];
  const came = `${counted(total, 'project')} in all, ${late} that were updated after tomorrow`;
  if (total === 0) return unknown(TOPIC, 'There is no project to see it by.', { asked, came });
  if (late > 0) {
    const remedy =
      'Every pass reads all projects. It misses nothing, and costs more: set changes to a longer time.';
    const text = 'It is ignored: projects come whenever they were updated.';
    return warning(TOPIC, text, { asked, came }, remedy);
  }
  const found = await confirmed<Judged>(asker, projects, async ({ isWhole, items }) => {
    const past = await updatedSince(asker, EVER);
    const shown = new Set(past.items.map(idOf));
    const times = items.map(timeOf);
    const isDated = times.some(time => time !== undefined);
    const settled = now() - SETTLED_MS;
    const isNever = (item: JsonObject) => (timeOf(item) ?? settled) < settled && !shown.has(idOf(item));
    const never = items.filter(isNever).length;
    if (!isWhole || !past.isWhole || (never === 0 && (isDated || shown.size === items.length)))
      return fine(TOPIC, 'It works.', { asked, came });
    asked.push(...past.answers);
    return after => {
      if (JSON.stringify(after.items) !== JSON.stringify(items)) return undefined;
      if (isDated) {
        const text = `${counted(never, 'project')} of ${items.length} never come with it, whenever they were updated.`;
        const remedy = 'Only sweeps see their changes: set sweep to a shorter time.';
        return warning(TOPIC, text, { asked, came }, remedy);
      }
      const text = `${counted(items.length - shown.size, 'project')} of ${items.length} did not come with it: they are shown late, or never.`;
      return unknown(TOPIC, text, { asked, came }, 'Ask the doctor again in some minutes.');
    };
  });
  const text = 'Some projects did not come with it, and projects were edited while they were asked for.';
  return found ?? unknown(TOPIC, text, { asked, came }, 'Ask the doctor again.');
}

function judgeFailure(answer: Probed): Judged {
  if (answer.status !== 400) return failed(TOPIC, answer);
  const remedy =
    'Without it passes can not ask for changes; sweeps alone see them. Ask the operator of the service.';
  return warning(TOPIC, 'It is refused.', { asked: [answer], came: 'status 400' }, remedy);
}

function updatedSince(asker: Asker, time: number): Promise<ListRead> {
  return readProjects(asker, { updatedAfter: new Date(time).toISOString() });
}

/** A project with its update time. */
interface Dated {
  readonly id: string;
  readonly time: number;
}

/** The projects with update times, the latest first. */
function datedIn({ items }: ListRead, { idOf, timeOf }: Survey): Dated[] {
  const all = items.flatMap(item => {
    const time = timeOf(item);
    return time === undefined ? [] : [{ id: idOf(item), time }];
  });
  return all.sort((one, other) => other.time - one.time);
}

/** True when the project is still there, and was not updated again. */
const isUnchanged = ({ id, time }: Dated, now: readonly Dated[]): boolean =>
  now.some(each => each.id === id && each.time === time);

const EDGE_REMEDY = 'Nothing to do: passes ask from two minutes before.';

/** Whether `updatedAfter` with a project's own update time returns the project. It counts only if the project
 *  was not updated again before both answers came. */
async function examineEdge(survey: Survey): Promise<Judged> {
  const { asker, projects, idOf, now } = survey;
  const asked: Probed[] = [];
  const found = await confirmed<Judged>(asker, projects, async read => {
    const dated = oldEnough(datedIn(read, survey), now());
    if (!dated) {
      const on = { asked, came: 'no update time to ask with' };
      return unknown(EDGE, 'Nothing tells when a project was updated.', on, EDGE_REMEDY);
    }
    // In this order: what comes with the earlier time is shown already.
    const before = await updatedSince(asker, dated.time - 1);
    const at = await updatedSince(asker, dated.time);
    asked.push(...before.answers, ...at.answers);
    const failure = at.failure ?? before.failure;
    if (failure) return failed(EDGE, failure);
    return after => {
      if (!isUnchanged(dated, datedIn(after, survey))) return undefined;
      const [hasAt = false, hasBefore = false] = [at, before].map(({ items }) =>
        items.some(item => idOf(item) === dated.id),
      );
      const says = (comes: boolean) => (comes ? 'comes' : 'does not come');
      const came = `a project of ${timeText(dated.time)}: ${says(hasAt)} with that time, ${says(hasBefore)} with 1 ms less`;
      const on = { asked: [...at.answers, ...before.answers], came };
      // After very many later ones, it may be on a page that was not read.
      if (!hasBefore || !(hasAt || at.isWhole))
        return unknown(EDGE, 'The project was not shown.', on, EDGE_REMEDY);
      const text = hasAt
        ? 'It is inclusive: what was updated at that very time comes, too.'
        : 'It is exclusive: what was updated at that very time does not come.';
      return fine(EDGE, text, on);
    };
  });
  const on = { asked, came: 'the project was updated again' };
  return found ?? unknown(EDGE, 'Projects were edited while they were asked for.', on, EDGE_REMEDY);
}

const MAX_LATER = 100;

/** A project whose update is old enough to show for sure, but with few enough later ones that it is on a page
 *  that is read. */
function oldEnough(dated: readonly Dated[], now: number): Dated | undefined {
  const settled = dated.findIndex(({ time }) => time < now - SETTLED_MS);
  return dated[settled < 0 || settled > MAX_LATER ? 0 : settled];
}

async function examineForms({ asker }: Survey): Promise<Judged> {
  const ask = (updatedAfter: string) => projectsPage(asker, { first: 1, updatedAfter });
  const asked = [await ask('2001-01-01'), await ask('2001-01-01T00:00:00')];
  const [day, zoneless] = asked.map(({ status, body }) =>
    body === undefined ? `refused (${status ?? 'no answer'})` : 'taken',
  );
  const text = `A date is ${day}, a time without a zone ${zoneless}. Passes send a time with its zone.`;
  return fine(FORMS, text, { asked, came: `a date ${day}, a time without a zone ${zoneless}` });
}

const BETWEEN_MS = 4_000;

/** How long it takes until an update shows with `updatedAfter`. This can be seen only if something was
 *  updated in the last minutes. */
async function examineLag(survey: Survey): Promise<Judged> {
  const { asker, projects, idOf, now } = survey;
  const asked: Probed[] = [];
  const found = await confirmed<Judged>(asker, projects, async read => {
    const [newest] = datedIn(read, survey);
    const age = newest ? now() - newest.time : Number.POSITIVE_INFINITY;
    if (!newest || age > SETTLED_MS) {
      const came = newest ? `the last update is ${span(age)} old` : 'no update time';
      const on = { asked: projects.answers.slice(0, 1), came };
      return unknown(LAG, 'Nothing was updated in the last minutes.', on, WATCH);
    }
    for (let asking = 0; asking < MAX_TRIES; asking += 1) {
      if (asking > 0) await asker.wait(BETWEEN_MS);
      const { answers, items, failure } = await updatedSince(asker, newest.time - 1);
      asked.push(...answers);
      if (failure) return failed(LAG, failure);
      if (!items.some(item => idOf(item) === newest.id)) continue;
      const text = `An update is shown within ${span(now() - newest.time)}.`;
      return fine(LAG, text, { asked, came: `one of ${span(age)} before` });
    }
    const waited = now() - newest.time;
    const came = `one of ${span(waited)} before was not among them, though the listing has it`;
    return after => (isUnchanged(newest, datedIn(after, survey)) ? judgeLag(waited, asked, came) : undefined);
  });
  const on = { asked, came: 'the project was updated again, or deleted' };
  return found ?? unknown(LAG, 'Projects were edited while they were asked for.', on, WATCH);
}

/** The default overlap of passes. A lag up to half of that is safe. */
const OVERLAP_MS = 120_000;

/** The finding for an update that showed after `ms`, or that had not shown by then. */
export function judgeLag(ms: number, asked: Asked, came: string, isCertain = false): Judged {
  const late = `Updates are shown late, by ${span(ms)}${isCertain ? '' : ' or more'}`;
  if (ms > OVERLAP_MS / 2) {
    const overlap = `${Math.ceil((2 * ms + OVERLAP_MS) / 60_000)}m`;
    const text = `${late}: passes must ask from further back.`;
    return setting(LAG, text, { asked, came }, { process: { overlap } });
  }
  const text = `${late}. Passes ask from two minutes before the last one, which covers that.`;
  return isCertain ? fine(LAG, text, { asked, came }) : warning(LAG, text, { asked, came }, WATCH);
}
