import type { JsonObject } from '../../json.ts';
import type { Probed } from '../../service/probe.ts';
import type { Finding } from '../protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { type Examination, failed, found } from './examination.ts';
import { pageBody, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';
import { ask, serviceTime } from './updated-after.ts';

const ORDER = 'order of projects';
const CURSORS = 'cursors';
const EMPTY = 'empty pages';

/** In which order projects come, what a cursor means, and how a page without items looks (service-api.md §2.2). */
export const paging: Examination = {
  topic: 'paging',
  async examine(asker) {
    const { items, answers } = await readProjects(asker);
    const { name = '' } = await updateField(asker);
    const times = items.map(item => timeOf(item[name]));
    return {
      findings: [
        judgeOrder(times, answers),
        await judgeCursors(asker, items, times),
        await judgeEmpty(asker, answers),
      ],
    };
  },
};

type Times = readonly (number | undefined)[];

const WITNESSES = 4;

export function judgeOrder(times: Times, asked: readonly Probed[]): Finding {
  const known = times.filter(time => time !== undefined);
  const came = `${known.length} update times`;
  if (new Set(known).size < WITNESSES) {
    const remedy = 'Nothing to do: passes read a list twice where it may have moved.';
    return found(ORDER, 'unknown', 'Too few update times differ to see it by.', { asked, came, remedy });
  }
  const steps = known.slice(1).map((time, index) => time - (known[index] ?? time));
  const [rises, falls] = [steps.some(step => step > 0), steps.some(step => step < 0)];
  if (rises && falls)
    return found(ORDER, 'fine', 'It does not follow update times: an edit moves no project.', {
      asked,
      came,
    });
  const which = rises ? 'oldest' : 'newest';
  const text = `It follows update times, the ${which} first: an edit moves a project while the list is read. Passes read it twice.`;
  return found(ORDER, 'fine', text, { asked, came });
}

/** A cursor of the whole list, asked for in a list that lacks projects before it: one that counts items goes too far. */
async function judgeCursors(asker: Asker, items: readonly JsonObject[], times: Times): Promise<Finding> {
  const { property = 'id' } = await projectKey(asker);
  const plan = planOf(times);
  const remedy = 'Nothing to do: passes read a list of several pages twice.';
  if (!plan) {
    const on = { asked: [], came: 'too few update times', remedy };
    return found(CURSORS, 'unknown', 'It can not be seen what they mean.', on);
  }
  const head = await asker.get(path(asker), { first: plan.place });
  const after = pageBody(head.body, 'projects').next;
  if (after === undefined) return failed(CURSORS, head, remedy);
  const rest = await asker.get(path(asker), {
    first: 200,
    after,
    [plan.filter]: new Date(plan.time).toISOString(),
  });
  const on = { asked: [head, rest], came: '' };
  if (rest.body === undefined) {
    const came = `status ${rest.status} for a cursor of another filter`;
    return found(CURSORS, 'fine', 'A cursor belongs to its filter.', { ...on, came });
  }
  const got = pageBody(rest.body, 'projects').items.map(item => textOf(item[property]));
  const left = items
    .map((item, index) => ({ id: textOf(item[property]), index }))
    .filter(({ index }) => isLeft(times[index], plan));
  const behind = left.filter(({ index }) => index >= plan.place).map(({ id }) => id);
  const skipped = left.slice(plan.place).map(({ id }) => id);
  const came = `${got.length} projects behind a cursor, of ${behind.length}`;
  if (same(got, behind))
    return found(CURSORS, 'fine', 'They point at an item: what comes and goes before it shifts nothing.', {
      ...on,
      came,
    });
  if (same(got, skipped)) {
    const text =
      'They count items: what comes or goes while a list is read shifts others out of sight. Passes read it twice.';
    return found(CURSORS, 'fine', text, { ...on, came });
  }
  return found(CURSORS, 'unknown', 'It can not be seen what they mean.', { ...on, came, remedy });
}

interface Plan {
  /** How many projects are before the cursor. */
  readonly place: number;
  readonly filter: 'updatedAfter' | 'updatedBefore';
  readonly time: number;
}

const MOST_ITEMS = 200;

/** Where to put the cursor and the filter so that both readings of a cursor give different projects. */
function planOf(times: Times): Plan | undefined {
  if (times.length > MOST_ITEMS || times.some(time => time === undefined)) return undefined;
  const sorted = [...new Set(times)].sort((one = 0, other = 0) => one - other);
  const time =
    ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) +
      (sorted[Math.floor((sorted.length + 1) / 2)] ?? 0)) /
    2;
  const place = Math.floor(times.length / 2);
  const filters = ['updatedAfter', 'updatedBefore'] as const;
  return filters
    .map(filter => ({ place, filter, time: Math.floor(time) }))
    .find(plan => {
      const before = times.slice(0, place).filter(each => isLeft(each, plan)).length;
      const all = times.filter(each => isLeft(each, plan)).length;
      return sorted.length >= WITNESSES && before < place && all > before;
    });
}

function isLeft(time: number | undefined, { filter, time: edge }: Plan): boolean {
  return filter === 'updatedAfter' ? (time ?? 0) > edge : (time ?? 0) < edge;
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

async function judgeEmpty(asker: Asker, answers: readonly Probed[]): Promise<Finding> {
  const tomorrow = serviceTime(asker, answers[0]) + 24 * 60 * 60 * 1000;
  const empty = await ask(asker, new Date(tomorrow).toISOString());
  const page = pageBody(empty.body, 'projects');
  if (empty.body === undefined) return failed(EMPTY, empty);
  if (page.items.length > 0)
    return found(EMPTY, 'unknown', 'No page was empty.', { asked: [empty], came: 'a page with items' });
  const { startCursor, endCursor, hasNextPage } = page.paging ?? {};
  const kinds = [startCursor, endCursor].map(cursor => (cursor === null ? 'null' : typeof cursor));
  const came = `startCursor ${kinds[0]}, endCursor ${kinds[1]}, hasNextPage ${hasNextPage}`;
  if (hasNextPage !== false)
    return found(EMPTY, 'warning', 'A page without items does not say that it is the last.', {
      asked: [empty],
      came,
    });
  const text = `Cursors of a page without items are ${kinds.includes('null') ? 'null' : 'given all the same'}. Passes need none.`;
  return found(EMPTY, 'fine', text, { asked: [empty], came });
}

const path = (asker: Asker): string[] => ['processes', asker.process, 'projects'];
