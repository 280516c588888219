import type { JsonObject } from '../../json.ts';
import type { Probed } from '../../service/probe.ts';
import type { Finding } from '../protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { type Examination, type Examined, failed, found } from './examination.ts';
import { pageBody, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';
import { counted, span, timeText } from './words.ts';

const TOPIC = 'updatedAfter';
const EDGE = 'updatedAfter at the very time';
const FORMS = 'updatedAfter in other forms';
const LAG = 'updatedAfter shows updates';

/** What `updatedAfter` does (service-api.md §4.2): works, ignores, includes the time itself, lags behind. */
export const updatedAfter: Examination = {
  topic: TOPIC,
  async examine(asker) {
    const future = await ask(asker, new Date(serviceTime(asker, await anyAnswer(asker)) + DAY).toISOString());
    if (future.body === undefined) return { findings: [refused(future)] };
    const works = await judgeWorks(asker, future);
    if (works.verdict === 'warning') return { findings: [works] };
    const { edge, lag } = await aroundAnUpdate(asker);
    return {
      findings: [works, edge, await otherForms(asker), ...lag.findings],
      ...(lag.settings && { settings: lag.settings }),
    };
  },
};

const DAY = 24 * 60 * 60 * 1000;

export function ask(
  asker: Asker,
  time: string,
  how: { again?: boolean; first?: number } = {},
): Promise<Probed> {
  const { first = 200, again = false } = how;
  return asker.get(['processes', asker.process, 'projects'], { first, updatedAfter: time }, { again });
}

const anyAnswer = async (asker: Asker): Promise<Probed | undefined> => (await readProjects(asker)).answers[0];

/** The service's time now, as far as answers tell it. */
export function serviceTime(asker: Asker, answer: Probed | undefined): number {
  const ahead = answer?.date === undefined ? 0 : answer.date - answer.at;
  return asker.clock() + (Math.abs(ahead) > DAY ? 0 : ahead);
}

function refused(came: Probed): Finding {
  if (came.status !== 400) return failed(TOPIC, came);
  const remedy =
    'Changewire can not poll for changes without it; sweeps alone see them. Ask the operator of the service.';
  return found(TOPIC, 'warning', 'It is refused.', { asked: [came], came: 'status 400', remedy });
}

async function judgeWorks(asker: Asker, future: Probed): Promise<Finding> {
  const { items, answers, isWhole } = await readProjects(asker);
  const late = pageBody(future.body, 'projects').items.length;
  const came = `${counted(items.length, 'project')} in all, ${late} that were updated after tomorrow`;
  const on = { asked: [...answers.slice(0, 1), future], came };
  if (late > 0) {
    const remedy =
      'Every pass reads all projects. It misses nothing, and costs more: set changes to a longer time.';
    return found(TOPIC, 'warning', 'It is ignored: projects come whenever they were updated.', {
      ...on,
      remedy,
    });
  }
  const past = await ask(asker, '2001-01-01T00:00:00.000Z');
  const never = past.body === undefined || !isWhole ? [] : await missing(asker, items, past);
  if (never.length > 0) {
    const text = `${counted(never.length, 'project')} of ${items.length} never come with it, whenever they were updated.`;
    if ((await updateField(asker)).name === undefined) {
      const late = `${counted(never.length, 'project')} of ${items.length} did not come with it: they are shown late, or never.`;
      return found(TOPIC, 'unknown', late, {
        ...on,
        asked: [...on.asked, past],
        remedy: 'Ask the doctor again in some minutes.',
      });
    }
    const remedy = 'Their changes are told by sweeps only: set sweep to a shorter time.';
    return found(TOPIC, 'warning', text, { ...on, asked: [...on.asked, past], remedy });
  }
  if (items.length === 0) return found(TOPIC, 'unknown', 'There is no project to see it by.', on);
  return found(TOPIC, 'fine', 'It works.', on);
}

/** Projects that are not among those updated since ever. What was updated just now may be shown later. */
async function missing(asker: Asker, items: readonly JsonObject[], past: Probed): Promise<JsonObject[]> {
  const page = pageBody(past.body, 'projects');
  if (page.next !== undefined) return [];
  const { property = 'id' } = await projectKey(asker);
  const { name = '' } = await updateField(asker);
  const shown = new Set(page.items.map(item => textOf(item[property])));
  const settled = serviceTime(asker, past) - SETTLED;
  return items.filter(item => !shown.has(textOf(item[property])) && (timeOf(item[name]) ?? 0) < settled);
}

async function otherForms(asker: Asker): Promise<Finding> {
  const day = await ask(asker, '2001-01-01');
  const zoneless = await ask(asker, '2001-01-01T00:00:00');
  const how = ({ status, body }: Probed) =>
    body === undefined ? `refused (${status ?? 'no answer'})` : 'taken';
  const came = `a date ${how(day)}, a time without a zone ${how(zoneless)}`;
  return found(
    FORMS,
    'fine',
    `Of a date it is ${how(day)}, of a time without a zone ${how(zoneless)}. Passes send a time with its zone.`,
    {
      asked: [day, zoneless],
      came,
    },
  );
}

interface Dated {
  readonly record: JsonObject;
  readonly time: number;
}

async function aroundAnUpdate(asker: Asker): Promise<{ edge: Finding; lag: Examined }> {
  const { items, answers } = await readProjects(asker);
  const { name } = await updateField(asker);
  const { property = 'id' } = await projectKey(asker);
  const dated = items
    .flatMap(record => {
      const time = name === undefined ? undefined : timeOf(record[name]);
      return time === undefined ? [] : [{ record, time }];
    })
    .sort((one, other) => other.time - one.time);
  const now = serviceTime(asker, answers[0]);
  return {
    edge: await atTheEdge(asker, chosen(dated, now), property),
    lag: await lagging(asker, dated[0], now, { property, first: answers[0] }),
  };
}

/** Long enough ago that the service shows it for sure, and not so long that very many came after it. */
function chosen(dated: readonly Dated[], now: number): Dated | undefined {
  const settled = dated.findIndex(({ time }) => time < now - SETTLED);
  return dated[settled < 0 || settled > MOST_LATER ? 0 : settled];
}

const SETTLED = 600_000;
const MOST_LATER = 100;

async function atTheEdge(asker: Asker, dated: Dated | undefined, property: string): Promise<Finding> {
  const remedy = 'Passes ask from two minutes before: they need neither.';
  if (!dated) {
    const on = { asked: [], came: 'no update time to ask with', remedy };
    return found(EDGE, 'unknown', 'Nothing tells when a project was updated.', on);
  }
  const at = await ask(asker, timeText(dated.time));
  const before = await ask(asker, timeText(dated.time - 1));
  const [hasAt, hasBefore] = [at, before].map(came => has(came, dated.record, property));
  const came = `a project of ${timeText(dated.time)}: ${hasAt ? 'comes' : 'does not come'} with that time, ${hasBefore ? 'comes' : 'does not come'} with 1 ms less`;
  const on = { asked: [at, before], came };
  if (!hasBefore) return found(EDGE, 'unknown', 'The project was not shown at all.', { ...on, remedy });
  const text = hasAt
    ? 'It is inclusive: what was updated at that very time comes, too.'
    : 'It is exclusive: what was updated at that very time does not come.';
  return found(EDGE, 'fine', text, on);
}

function has(came: Probed, record: JsonObject, property: string): boolean {
  const id = textOf(record[property]);
  return pageBody(came.body, 'projects').items.some(item => textOf(item[property]) === id);
}

/** The overlap of a pass unless told. */
const OVERLAP = 120_000;

async function lagging(
  asker: Asker,
  newest: Dated | undefined,
  now: number,
  { property, first }: { property: string; first: Probed | undefined },
): Promise<Examined> {
  const age = newest ? now - newest.time : Number.POSITIVE_INFINITY;
  if (!newest || age > SETTLED || age < 0) {
    const came = newest ? `the last update is ${span(age)} old` : 'no update time';
    const text = 'Nothing was updated in the last minutes.';
    return { findings: [found(LAG, 'unknown', text, { asked: first ? [first] : [], came, remedy: WATCH })] };
  }
  const asked: Probed[] = [];
  for (let asking = 0; asking < ASKINGS; asking += 1) {
    if (asking > 0) await asker.wait(BETWEEN);
    const came = await ask(asker, timeText(newest.time - 1), { again: true });
    asked.push(came);
    if (came.body === undefined) return { findings: [failed(LAG, came)] };
    if (!has(came, newest.record, property)) continue;
    const text = `An update is shown within ${span(serviceTime(asker, first) - newest.time)}.`;
    return { findings: [found(LAG, 'fine', text, { asked, came: `one of ${span(age)} before` })] };
  }
  return judgeLag(serviceTime(asker, first) - newest.time, asked);
}

const ASKINGS = 3;
const BETWEEN = 4_000;

/** What follows from an update that was not shown for so long. */
export function judgeLag(ms: number, asked: readonly Probed[]): Examined {
  const came = `one of ${span(ms)} before was not among them, though the listing has it`;
  const overlap = 2 * ms + 60_000;
  if (overlap <= OVERLAP + 60_000) {
    const text = `Updates are shown late, by ${span(ms)} or more. Passes ask from two minutes before the last one, which covers a minute.`;
    return { findings: [found(LAG, 'warning', text, { asked, came, remedy: WATCH })] };
  }
  const text = `Updates are shown late, by ${span(ms)} or more: passes must ask from further back.`;
  const finding = found(LAG, 'setting', text, { asked, came, remedy: 'Set overlap, as below.' });
  return { findings: [finding], settings: { process: { overlap: `${Math.ceil(overlap / 60_000)}m` } } };
}

const WATCH = 'Ask with --watch, and edit a task meanwhile.';
