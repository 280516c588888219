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
import { type Asked, type Examined, failed, found } from './examination.ts';
import { readProjects } from './lists.ts';
import { span } from './words.ts';

export const LAG = 'updatedAfter shows updates';
const WATCH = 'Ask with --watch, and edit a task meanwhile.';
const ASKINGS = 3;
const BETWEEN = 4_000;

/** How long it takes until an update shows with `updatedAfter`. This can be seen only if something was
 *  updated in the last minutes. */
export async function examineLag(asker: Asker): Promise<Examined> {
  const { answers } = await readProjects(asker);
  const asked: Probed[] = [];
  let projects = await datedProjects(asker);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [newest] = projects;
    const age = newest ? (await serviceTime(asker)) - newest.time : Number.POSITIVE_INFINITY;
    if (!newest || age > SETTLED) {
      const came = newest ? `the last update is ${span(age)} old` : 'no update time';
      const on = { asked: answers.slice(0, 1), came, remedy: WATCH };
      return { findings: [found(LAG, 'unknown', 'Nothing was updated in the last minutes.', on)] };
    }
    const shown = await untilShown(asker, newest, asked);
    if (shown) return shown;
    const waited = (await serviceTime(asker)) - newest.time;
    projects = await datedProjects(asker, { again: true });
    const came = `one of ${span(waited)} before was not among them, though the listing has it`;
    if (isUnchanged(newest, projects)) return judgeLag(waited, asked, came);
  }
  const on = { asked, came: 'the project was updated again, or deleted', remedy: WATCH };
  return { findings: [found(LAG, 'unknown', 'Projects were edited while they were asked for.', on)] };
}

/** Asks for an update until it is shown; undefined when it is not shown within some seconds. */
async function untilShown(asker: Asker, newest: Dated, asked: Probed[]): Promise<Examined | undefined> {
  const age = (await serviceTime(asker)) - newest.time;
  for (let asking = 0; asking < ASKINGS; asking += 1) {
    if (asking > 0) await asker.wait(BETWEEN);
    const read = await updatedSince(asker, newest.time - 1, { again: true });
    asked.push(...read.answers);
    if (read.failure) return { findings: [failed(LAG, read.failure)] };
    if (!(await idsIn(asker, read)).has(newest.id)) continue;
    const text = `An update is shown within ${span((await serviceTime(asker)) - newest.time)}.`;
    return { findings: [found(LAG, 'fine', text, { asked, came: `one of ${span(age)} before` })] };
  }
  return undefined;
}

/** The default overlap of passes, in ms. A lag up to COVERED, half of that, is safe. */
const OVERLAP = 120_000;
const COVERED = OVERLAP / 2;

/** The finding for an update that showed after `ms`, or that had not shown by then. */
export function judgeLag(ms: number, asked: Asked, came: string, isCertain = false): Examined {
  const late = `Updates are shown late, by ${span(ms)}${isCertain ? '' : ' or more'}`;
  if (ms <= COVERED) {
    const text = `${late}. Passes ask from two minutes before the last one, which covers that.`;
    if (isCertain) return { findings: [found(LAG, 'fine', text, { asked, came })] };
    return { findings: [found(LAG, 'warning', text, { asked, came, remedy: WATCH })] };
  }
  const text = `${late}: passes must ask from further back.`;
  const overlap = `${Math.ceil((2 * ms + OVERLAP) / 60_000)}m`;
  const finding = found(LAG, 'setting', text, { asked, came, remedy: 'Set overlap, as below.' });
  return { findings: [finding], settings: { process: { overlap } } };
}
