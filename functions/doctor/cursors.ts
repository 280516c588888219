import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { MAX_TRIES } from './dated.ts';
import { failed, found } from './examination.ts';
import { type ListRead, pageBody, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';
import { counted } from './words.ts';

const TOPIC = 'cursors';
const REMEDY = 'Nothing to do: passes read a list of several pages twice.';

/** Whether a cursor points at an item or counts items. A cursor of the whole list is sent with a filter that
 *  leaves out some projects before it: one that counts then begins further on than one that points at an
 *  item. */
export async function examineCursors(asker: Asker): Promise<Finding> {
  const { name = '' } = await updateField(asker);
  const { property = 'id' } = await projectKey(asker);
  const rowsOf = ({ items }: ListRead) =>
    items.map(item => ({ id: textOf(item[property]), time: timeOf(item[name]) }));
  let read = await readProjects(asker);
  const asked: Probed[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const rows = rowsOf(read);
    const times = rows.map(({ time }) => time);
    const plan = planOf(times, placeOf(read));
    if (!plan) return unseen([], 'too few update times, or too many projects');
    const path = ['processes', asker.process, 'projects'];
    const head = await asker.get(path, { first: plan.place }, { again: true });
    const after = pageBody(head.body, 'projects').next;
    if (after === undefined) return failed(TOPIC, head, REMEDY);
    const filter = { [plan.filter]: new Date(plan.time).toISOString() };
    const shown = () => readProjects(asker, { query: filter, again: true }).then(each => rowsOf(each));
    const before = await shown();
    const rest = await asker.get(path, { first: read.first, after, ...filter }, { again: true });
    asked.push(head, rest);
    if (rest.body === undefined) {
      const came = `status ${rest.status} for a cursor of another filter`;
      return found(TOPIC, 'fine', 'A cursor belongs to its filter.', { asked, came });
    }
    read = await readProjects(asker, { again: true });
    const ids = rows.map(({ id }) => id);
    // Some edits show with a filter later than in the list.
    const left = rows.filter(({ time }) => isLeft(time, plan));
    if (isEqual(rows, rowsOf(read)) && isEqual(before, left) && isEqual(await shown(), left))
      return judge(rest, plan, { ids, times, property, asked });
  }
  return unseen(asked, 'projects that were edited while they were read');
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function unseen(asked: readonly Probed[], came: string): Finding {
  return found(TOPIC, 'unknown', 'It can not be seen what they mean.', { asked, came, remedy: REMEDY });
}

function judge(
  rest: Probed,
  plan: Plan,
  known: { ids: readonly string[]; times: Times; property: string; asked: readonly Probed[] },
): Finding {
  const { ids, times, property, asked } = known;
  const page = pageBody(rest.body, 'projects');
  const got = page.items.map(item => textOf(item[property]));
  const left = ids.filter((_, index) => isLeft(times[index], plan));
  const behind = ids.filter((_, index) => index >= plan.place && isLeft(times[index], plan));
  const counting = left.slice(plan.place);
  const came = `${counted(got.length, 'project')} behind a cursor, of ${behind.length}`;
  const isIt = (list: readonly string[]) =>
    same(got, page.next === undefined ? list : list.slice(0, got.length));
  if (isIt(behind) === isIt(counting)) return unseen(asked, came);
  const text = isIt(behind)
    ? 'They point at an item: what comes and goes before it shifts nothing.'
    : 'They count items: what comes or goes while a list is read shifts others out of sight. Passes read it twice.';
  return found(TOPIC, 'fine', text, { asked, came });
}

type Times = readonly (number | undefined)[];

interface Plan {
  /** How many projects come before the cursor. */
  readonly place: number;
  readonly filter: 'updatedAfter' | 'updatedBefore';
  readonly time: number;
}

const MOST_ITEMS = 200;
const WITNESSES = 4;

/** The middle of the list, but within its first page. */
function placeOf({ items, pages }: ListRead): number {
  return Math.min(Math.floor(items.length / 2), pages[0]?.items.length ?? 0);
}

/** A filter with which a cursor at this place gives other projects if it counts than if it points at an
 *  item. */
function planOf(times: Times, place: number): Plan | undefined {
  const sorted = [...new Set(times)].filter(time => time !== undefined).sort((one, other) => one - other);
  if (times.length > MOST_ITEMS || sorted.length < WITNESSES || times.includes(undefined) || place === 0)
    return undefined;
  const half = Math.floor(sorted.length / 2);
  const time = Math.floor(((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2);
  return (['updatedBefore', 'updatedAfter'] as const)
    .map(filter => ({ place, filter, time }))
    .find(plan => {
      const before = times.slice(0, place).filter(each => isLeft(each, plan)).length;
      const all = times.filter(each => isLeft(each, plan)).length;
      return before < place && all > before;
    });
}

function isLeft(time: number | undefined, { filter, time: edge }: Plan): boolean {
  return filter === 'updatedAfter' ? (time ?? 0) > edge : (time ?? 0) < edge;
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
