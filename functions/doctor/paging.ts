import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { examineCursors } from './cursors.ts';
import { updatedAfterTomorrow } from './dated.ts';
import { type Examination, failed, found } from './examination.ts';
import { readProjects } from './lists.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';

const ORDER = 'order of projects';
const EMPTY = 'empty pages';

/** The order of projects, what a cursor means, and how an empty page looks (service-api.md §2.2). */
export const paging: Examination = {
  topic: 'paging',
  async examine(asker) {
    const { items, answers } = await readProjects(asker);
    const { name = '' } = await updateField(asker);
    const order = judgeOrder(
      items.map(item => timeOf(item[name])),
      answers,
    );
    return { findings: [order, await examineCursors(asker), await judgeEmpty(asker)] };
  },
};

const WITNESSES = 4;

export function judgeOrder(times: readonly (number | undefined)[], asked: readonly Probed[]): Finding {
  const known = times.filter(time => time !== undefined);
  const on = { asked, came: `${known.length} update times` };
  if (new Set(known).size < WITNESSES) {
    const remedy = 'Nothing to do: passes read a list twice where it may have moved.';
    return found(ORDER, 'unknown', 'Too few update times differ to see it by.', { ...on, remedy });
  }
  const steps = known.slice(1).map((time, index) => time - (known[index] ?? time));
  const [rises, falls] = [steps.some(step => step > 0), steps.some(step => step < 0)];
  if (rises && falls)
    return found(ORDER, 'fine', 'It does not follow update times: an edit moves no project.', on);
  const which = rises ? 'oldest' : 'newest';
  const text = `It follows update times, the ${which} first: an edit moves a project while the list is read. Passes read it twice.`;
  return found(ORDER, 'fine', text, on);
}

async function judgeEmpty(asker: Asker): Promise<Finding> {
  const { pages, answers, failure } = await updatedAfterTomorrow(asker);
  const [page] = pages;
  if (failure) return failed(EMPTY, failure);
  if (!page || page.items.length > 0)
    return found(EMPTY, 'unknown', 'No page was empty.', { asked: answers, came: 'a page with items' });
  const { startCursor, endCursor, hasNextPage } = page.paging ?? {};
  const kinds = [startCursor, endCursor].map(cursor =>
    cursor === null ? 'null' : cursor === undefined ? 'missing' : typeof cursor,
  );
  const on = {
    asked: answers,
    came: `startCursor ${kinds[0]}, endCursor ${kinds[1]}, hasNextPage ${typeof hasNextPage === 'boolean' ? hasNextPage : 'no yes or no'}`,
  };
  if (hasNextPage !== false)
    return found(EMPTY, 'warning', 'A page without items does not say that it is the last.', on);
  const text = `Cursors of a page without items are ${kinds.includes('null') ? 'null' : 'given all the same'}. Passes need none.`;
  return found(EMPTY, 'fine', text, on);
}
