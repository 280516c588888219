import type { Probed } from '../service/probe.ts';
import {
  confirmed,
  type ListName,
  type ListRead,
  PAGE_SIZES,
  pageBody,
  projectsPage,
  readProjects,
} from './asker.ts';
import {
  counted,
  failed,
  fine,
  type Judged,
  outcome,
  propertyList,
  setting,
  shown,
  unknown,
  warning,
} from './finding.ts';
import type { Check, Survey } from './survey.ts';
import { known, orderOf } from './update-time.ts';

/** The names of the lists for which the document gives none (service-api.md §4.3). */
export const listNames: Check = {
  topic: 'list names',
  examine({ projects, tasks, log, users, key }) {
    const lists: [string, ListRead | undefined][] = [
      ['projects', projects],
      ['tasks', tasks.find(({ read }) => read.pages.length > 0)?.read],
      // A denied audit log is reported by the check of the log.
      ['the audit log', log.failure?.status === 403 || log.failure?.status === 404 ? undefined : log],
      ['users', users],
    ];
    const findings = lists.flatMap(([name, read]) => (read ? [judgeName(`list of ${name}`, read)] : []));
    const last = tasks.length === 0 ? key.asked.at(-1) : undefined;
    if (!last) return findings;
    const remedy =
      'No pass can do without. Ask the operator of the service for access, or which property of a project its paths take.';
    const on = { asked: key.asked, came: outcome(last) };
    return [...findings, warning('list of tasks', 'The tasks of no project can be read.', on, remedy)];
  },
};

const LIST_REMEDY =
  'Changewire needs an answer with one list and paging (service-api.md §2.2). Ask the operator of the service, and report this.';

function judgeName(topic: string, { answers, pages: [page], failure, isStuck }: ListRead): Judged {
  if (!page) {
    if (failure) return failed(topic, failure);
    return unknown(topic, 'Nothing came.', { asked: [], came: 'nothing' });
  }
  const came = `${propertyList(page.arrays)}${page.paging ? ' beside paging' : ', and no paging'}`;
  const on = { asked: answers.slice(0, 1), came };
  if (page.property === undefined)
    return warning(topic, 'It can not be told which property is the list.', on, LIST_REMEDY);
  const name = `It is ${shown(page.property)}`;
  if (!page.paging) return warning(topic, `${name}, and says nothing of further pages.`, on, LIST_REMEDY);
  if (isStuck) {
    const text = `${name}, and its pages repeat: the cursor of one leads back to it.`;
    return warning(topic, text, { ...on, asked: answers }, LIST_REMEDY);
  }
  if (!failure) return fine(topic, `${name}.`, on);
  const text = `${name}; its first page comes, and a further one fails.`;
  return warning(topic, text, { asked: [...answers, failure], came: outcome(failure) }, LIST_REMEDY);
}

const LARGER = 1_000;

/** How large pages may be, and how too large ones fail (service-api.md §8). */
export const pageSizes: Check = {
  topic: 'page size',
  async examine(survey) {
    const larger = await askForMore(survey);
    const lists: [ListName, readonly ListRead[]][] = [
      ['projects', [survey.projects]],
      ['tasks', survey.tasks.map(({ read }) => read)],
      ['auditLog', [survey.log]],
      ['users', [survey.users]],
    ];
    const sizes = lists.flatMap(([, reads]) =>
      reads.flatMap(({ answers }) => answers.map(({ size }) => size)),
    );
    // The size of the largest answer that worked, if others were too large.
    const safe = survey.asker.tooLarge.size > 0 ? Math.max(...sizes) : undefined;
    return lists.flatMap(([name, reads]) =>
      reads.some(({ answers }) => answers.length > 0)
        ? [judgePages(survey, name, reads, { larger, safe })]
        : [],
    );
  },
};

/** Asks for one page that is larger than those of passes, if the list has more than one of theirs. */
async function askForMore({ asker, projects }: Survey): Promise<Probed | undefined> {
  if (asker.tooLarge.has('projects') || projects.pages[0]?.next === undefined) return undefined;
  return projectsPage(asker, { first: LARGER });
}

const ITEMS = { projects: 'project', tasks: 'task', auditLog: 'entry', users: 'user' } as const;

function judgePages(
  { asker }: Survey,
  name: ListName,
  reads: readonly ListRead[],
  { larger, safe }: { readonly larger: Probed | undefined; readonly safe: number | undefined },
): Judged {
  const topic = `page size of ${name === 'auditLog' ? 'the audit log' : name}`;
  const answers = reads.flatMap(each => each.answers);
  const tooLarge = asker.tooLarge.get(name)?.answers ?? [];
  const most = Math.max(...reads.flatMap(({ pages }) => pages.map(({ items }) => items.length)));
  const size = Math.max(...answers.map(answer => answer.size));
  const on = {
    asked: [...tooLarge, ...answers],
    came: `at most ${counted(most, ITEMS[name])} in ${kilobytes(size)}`,
  };
  const first = asker.tooLarge.get(name)?.first ?? PAGE_SIZES[name];
  // Other lists of this kind may have larger records, which should fit as well.
  const fitting = safe === undefined ? first : Math.min(first, fittingIn(safe, reads));
  const proposal = fitting < PAGE_SIZES[name] ? { workspace: { pageSize: { [name]: fitting } } } : undefined;
  if (tooLarge.length > 0 && proposal) {
    const statuses = [...new Set(tooLarge.map(({ status, failure }) => `${status ?? failure}`))].join(', ');
    const text = `A page of ${leastIn(tooLarge)} fails (${statuses}), one of ${first} works.`;
    const remedy = 'Set pageSize, as below: else each pass asks for too much first.';
    return setting(topic, text, on, proposal, remedy);
  }
  const cap = capOf(reads);
  if (cap !== undefined) {
    const text = `A page has at most ${cap}, though ${first} were asked for.`;
    return { ...fine(topic, text, on), ...(proposal && { settings: proposal }) };
  }
  if (proposal) {
    const text = `It works; but a page of ${PAGE_SIZES[name]} would be too large, going by their size. One of ${fitting} is not.`;
    return setting(topic, text, on, proposal);
  }
  const text = `Pages of ${PAGE_SIZES[name]} work; the fullest had ${most}.`;
  if (name !== 'projects' || !larger) return fine(topic, text, on);
  return fine(topic, `${text} ${largerText(larger)}`, { ...on, asked: [...answers, larger] });
}

/** The smallest page size that failed. */
function leastIn(tooLarge: readonly Probed[]): number {
  return Math.min(...tooLarge.map(({ request }) => Number(/first=(\d+)/.exec(request)?.[1] ?? Number.NaN)));
}

/** How much of the safe size a page may fill. */
const MARGIN = 0.8;

function fittingIn(safe: number, reads: readonly ListRead[]): number {
  const sizes = reads.flatMap(({ items }) => items.map(item => JSON.stringify(item).length));
  const largest = sizes.reduce((one, other) => Math.max(one, other), 1);
  return Math.max(1, Math.floor((safe * MARGIN) / largest));
}

/** The service's own limit: the length of pages that have less than was asked for, though others follow. */
function capOf(reads: readonly ListRead[]): number | undefined {
  const short = reads.flatMap(({ pages, first }) =>
    pages.filter(({ next, items }) => next !== undefined && items.length < first),
  );
  return short.length > 0 ? Math.max(...short.map(({ items }) => items.length)) : undefined;
}

function largerText({ body, status, failure, size }: Probed): string {
  if (body === undefined) return `One of ${LARGER} fails (${status ?? failure}).`;
  return `One of ${LARGER} has ${pageBody(body, 'projects').items.length}, in ${kilobytes(size)}.`;
}

const kilobytes = (characters: number): string => `${Math.max(1, Math.round(characters / 1024))} KB`;

const ORDER = 'order of projects';
const CURSORS = 'cursors';
const EMPTY = 'empty pages';

/** The order of projects, what a cursor means, and how an empty page looks (service-api.md §2.2). */
export const paging: Check = {
  topic: 'paging',
  examine: async survey => [judgeOrder(survey), await examineCursors(survey), judgeEmpty(survey.future)],
};

const WITNESSES = 4;

function judgeOrder({ projects: { items, answers: asked }, timeOf }: Survey): Judged {
  const times = known(items.map(timeOf));
  const on = { asked, came: `${times.length} update times` };
  if (new Set(times).size < WITNESSES) {
    const remedy = 'Nothing to do: passes read a list twice where it may have moved.';
    return unknown(ORDER, 'Too few update times differ to see it by.', on, remedy);
  }
  const order = orderOf(times);
  if (order === 'mixed') return fine(ORDER, 'It does not follow update times: an edit moves no project.', on);
  const text = `It follows update times, the ${order} first: an edit moves a project while the list is read. Passes read it twice.`;
  return fine(ORDER, text, on);
}

function judgeEmpty({ pages: [page], answers: asked, failure }: ListRead): Judged {
  if (failure) return failed(EMPTY, failure);
  if (!page || page.items.length > 0)
    return unknown(EMPTY, 'No page was empty.', { asked, came: 'a page with items' });
  const { startCursor, endCursor, hasNextPage } = page.paging ?? {};
  const kinds = [startCursor, endCursor].map(cursor =>
    cursor === null ? 'null' : cursor === undefined ? 'missing' : typeof cursor,
  );
  const next = typeof hasNextPage === 'boolean' ? hasNextPage : 'no yes or no';
  const on = { asked, came: `startCursor ${kinds[0]}, endCursor ${kinds[1]}, hasNextPage ${next}` };
  if (hasNextPage !== false)
    return warning(EMPTY, 'A page without items does not say that it is the last.', on);
  const text = `Cursors of a page without items are ${kinds.includes('null') ? 'null' : 'given all the same'}. Passes need none.`;
  return fine(EMPTY, text, on);
}

const CURSOR_REMEDY = 'Nothing to do: passes read a list of several pages twice.';

interface Plan {
  /** How many projects come before the cursor. */
  readonly place: number;
  readonly filter: 'updatedAfter' | 'updatedBefore';
  readonly time: number;
}

/** Whether a cursor points at an item or counts items. A cursor of the whole list is sent with a filter that
 *  leaves out some projects before it: one that counts then begins further on than one that points at an
 *  item. */
async function examineCursors({ asker, projects, idOf, timeOf }: Survey): Promise<Judged> {
  const asked: Probed[] = [];
  const unseen = (came: string) =>
    unknown(CURSORS, 'It can not be seen what they mean.', { asked, came }, CURSOR_REMEDY);
  const rowsOf = ({ items }: ListRead) => items.map(item => ({ id: idOf(item), time: timeOf(item) }));
  const found = await confirmed<Judged>(asker, projects, async read => {
    const rows = rowsOf(read);
    // The middle of the list, but within its first page.
    const place = Math.min(Math.floor(rows.length / 2), read.pages[0]?.items.length ?? 0);
    const plan = planOf(
      rows.map(({ time }) => time),
      place,
    );
    if (!plan) return unseen('too few update times, or too many projects');
    const head = await projectsPage(asker, { first: place });
    const after = pageBody(head.body, 'projects').next;
    if (after === undefined) return failed(CURSORS, head, CURSOR_REMEDY);
    const query = { [plan.filter]: new Date(plan.time).toISOString() };
    const filtered = [await readProjects(asker, query)];
    const rest = await projectsPage(asker, { first: read.first, after, ...query });
    asked.push(head, rest);
    if (rest.body === undefined) {
      const came = `status ${rest.status} for a cursor of another filter`;
      return fine(CURSORS, 'A cursor belongs to its filter.', { asked, came });
    }
    filtered.push(await readProjects(asker, query));
    return now => {
      const left = rows.filter(({ time }) => isLeft(time, plan));
      // Some edits show with a filter later than in the list.
      if (!isEqual(rows, rowsOf(now)) || !filtered.every(each => isEqual(rowsOf(each), left)))
        return undefined;
      const { items, next } = pageBody(rest.body, 'projects');
      const pointed = rows.slice(place).filter(({ time }) => isLeft(time, plan));
      const came = `${counted(items.length, 'project')} after a cursor, of ${pointed.length}`;
      const isIt = (list: readonly { id: string }[]) =>
        isEqual(
          items.map(idOf),
          (next === undefined ? list : list.slice(0, items.length)).map(({ id }) => id),
        );
      const isPointed = isIt(pointed);
      if (isPointed === isIt(left.slice(place))) return unseen(came);
      const text = isPointed
        ? 'They point at an item: what comes and goes before it shifts nothing.'
        : 'They count items: what comes or goes while a list is read shifts others out of sight. Passes read it twice.';
      return fine(CURSORS, text, { asked, came });
    };
  });
  return found ?? unseen('projects that were edited while they were read');
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const MAX_ITEMS = 200;

/** A filter with which a cursor at this place gives other projects if it counts than if it points at an
 *  item. */
function planOf(times: readonly (number | undefined)[], place: number): Plan | undefined {
  const sorted = [...new Set(known(times))].sort((one, other) => one - other);
  if (times.length > MAX_ITEMS || sorted.length < WITNESSES || times.includes(undefined) || place === 0)
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
