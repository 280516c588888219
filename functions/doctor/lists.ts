import type { Json } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import { confirmed, type ListRead, PAGE_SIZES, pageBody, projectsPage, readProjects } from './asker.ts';
import { counted, type Judged, listed, outcome, shown, topicOf } from './finding.ts';
import { isSameList, rowsOf, type Survey } from './survey.ts';
import { known, orderOf } from './update-time.ts';

const ORDER = topicOf('order of projects');
const CURSORS = topicOf('cursors');
const EMPTY = topicOf('empty pages');

const LIST_REMEDY =
  'Changewire needs an answer with one list and paging (service-api.md §2.2). Ask the operator of the service, and report this.';
const NOTHING = { asked: [], came: 'nothing' };
const LARGER = 1_000;
/** How much of the safe size a page may fill. */
const MARGIN = 0.8;
const MIN_SAMPLES = 4;
const MAX_ITEMS = 200;

/** The lists of a process, by the names that their topics have. */
const listsOf = ({ projects, tasks, log, users }: Survey) =>
  [
    { list: 'projects', name: 'projects', reads: [projects], item: 'project' },
    { list: 'tasks', name: 'tasks', reads: tasks.map(({ read }) => read), item: 'task' },
    { list: 'auditLog', name: 'the audit log', reads: [log], item: 'entry' },
    { list: 'users', name: 'users', reads: [users], item: 'user' },
  ] as const;

/** The names of the lists for which the document gives none (service-api.md §4.3). */
export function judgeLists(survey: Survey): Judged[] {
  const findings = listsOf(survey).flatMap(({ name, reads }) => {
    const read = reads.find(({ pages }) => pages.length > 0) ?? reads[0];
    // The check of the audit log reports one that is denied.
    const isDenied = name === 'the audit log' && /^40[34]$/.test(`${read?.failure?.status}`);
    return read && !isDenied ? [judgeList(`list of ${name}`, read)] : [];
  });
  const last = survey.tasks.length === 0 ? survey.key.asked.at(-1) : undefined;
  if (!last) return findings;
  const remedy =
    'Passes need them. Ask the operator of the service for access, or which property of a project its paths use.';
  const on = { asked: survey.key.asked, came: outcome(last) };
  return [
    ...findings,
    topicOf('list of tasks').warning('The tasks could not be read for any project.', on, remedy),
  ];
}

function judgeList(name: string, { answers, pages: [page], failure, isStuck }: ListRead): Judged {
  const topic = topicOf(name);
  if (!page) return failure ? topic.failed(failure) : topic.unknown('No answer.', NOTHING);
  const came = `${listed(page.arrays)}${page.paging ? ' beside paging' : ', and no paging'}`;
  const on = { asked: isStuck ? answers : answers.slice(0, 1), came };
  const warning = (text: string, seen = on) => topic.warning(text, seen, LIST_REMEDY);
  if (page.property === undefined) return warning('Could not determine which property is the list.');
  const itIs = `Found under ${shown(page.property)}`;
  if (!page.paging) return warning(`${itIs}, but without paging.`);
  if (isStuck) return warning(`${itIs}, but its pages repeat: a cursor leads back to its own page.`);
  if (!failure) return topic.fine(`${itIs}.`, on);
  const seen = { asked: [...answers, failure], came: outcome(failure) };
  return warning(`${itIs}; its first page works, but a later one fails.`, seen);
}

/** How large pages may be, and how too large ones fail (service-api.md §8). */
export async function examinePageSizes(survey: Survey): Promise<Judged[]> {
  const { asker, projects } = survey;
  const lists = listsOf(survey);
  // One page that is larger than those of passes, if the list has more than one of theirs.
  const isLong = !asker.tooLarge.has('projects') && projects.pages[0]?.next !== undefined;
  const larger = isLong ? await projectsPage(asker, { first: LARGER }) : undefined;
  const sizes = lists.flatMap(({ reads }) => reads.flatMap(read => read.answers.map(({ size }) => size)));
  // The size of the largest answer that worked, if others were too large: not where a smaller page is the whole list.
  const isCut = lists.some(
    ({ list, reads }) =>
      asker.tooLarge.has(list) && reads.some(({ pages }) => pages.some(({ next }) => next)),
  );
  const safe = isCut ? Math.max(...sizes) : undefined;
  return lists
    .filter(({ reads }) => reads.some(({ answers }) => answers.length > 0))
    .map(each => judgePages(survey, each, { safe, larger: each.list === 'projects' ? larger : undefined }));
}

function judgePages(
  { asker }: Survey,
  { list, name, reads, item }: ReturnType<typeof listsOf>[number],
  { safe, larger }: { readonly safe: number | undefined; readonly larger: Probed | undefined },
): Judged {
  const topic = topicOf(`page size of ${name}`);
  const usual = PAGE_SIZES[list];
  const { first, failed, answers: tooLarge } = asker.tooLarge.get(list) ?? { first: usual, answers: [] };
  const answers = reads.flatMap(each => each.answers);
  const pages = reads.flatMap(read => read.pages.map(page => ({ ...page, first: read.first })));
  const most = Math.max(...pages.map(({ items }) => items.length));
  const came = `at most ${counted(most, item)} in ${kilobytes(Math.max(...answers.map(({ size }) => size)))}`;
  const on = { asked: [...tooLarge, ...answers, ...(larger ? [larger] : [])], came };
  // Other lists of this kind may have larger records, which should fit as well.
  const lengths = pages.flatMap(({ items }) => items.map(each => JSON.stringify(each).length));
  const largest = Math.max(1, ...lengths);
  const room = safe === undefined ? first : Math.max(1, Math.floor((safe * MARGIN) / largest));
  const fitting = Math.min(first, room);
  const settings = { workspace: { pageSize: { [list]: fitting } } };
  if (tooLarge.length > 0) {
    const statuses = new Set(tooLarge.map(({ status, failure }) => `${status ?? failure}`));
    const text = `A page of ${failed} fails (${[...statuses].join(', ')}), one of ${first} works.`;
    const remedy = 'Set pageSize as below: otherwise each pass first requests pages that are too large.';
    return topic.setting(text, on, settings, remedy);
  }
  // The service's own limit: pages that have less than was asked for, though others follow.
  const capped = pages.filter(page => page.next !== undefined && page.items.length < page.first);
  if (capped.length > 0) {
    const cap = Math.max(...capped.map(({ items }) => items.length));
    const text = `A page has at most ${cap} items, even if ${first} are requested.`;
    return { ...topic.fine(text, on), ...(fitting < usual && { settings }) };
  }
  if (fitting < usual) {
    const text = `It works, but a page of ${usual} records of this size would be too large. A page of ${fitting} fits.`;
    return topic.setting(text, on, settings);
  }
  const text = `Pages of ${usual} work; the fullest had ${most}.`;
  if (!larger) return topic.fine(text, on);
  const { body, status, failure, size } = larger;
  const has = `has ${pageBody(body, 'projects').items.length} items, in ${kilobytes(size)}`;
  const how = body === undefined ? `fails (${status ?? failure})` : has;
  return topic.fine(`${text} A page of ${LARGER} ${how}.`, on);
}

const kilobytes = (characters: number): string => `${Math.max(1, Math.round(characters / 1024))} KB`;

/** Whether an edit moves a project in the list (service-api.md §2.2). */
export function judgeOrder({ projects: { items, answers: asked }, timeOf }: Survey): Judged {
  const times = known(items.map(timeOf));
  const on = { asked, came: `${times.length} update times` };
  if (new Set(times).size < MIN_SAMPLES) {
    const remedy = 'No action needed: passes read a list twice if it may have changed.';
    return ORDER.unknown('Too few different update times to determine it.', on, remedy);
  }
  const order = orderOf(times);
  if (order === 'mixed')
    return ORDER.fine('It is not sorted by update time: an edit does not move a project.', on);
  const text = `It is sorted by update time, ${order} first: an edit moves a project while the list is read. Passes read it twice.`;
  return ORDER.fine(text, on);
}

/** How an empty page looks (service-api.md §2.2). */
export function judgeEmpty({ future: { pages, answers: asked, failure } }: Survey): Judged {
  const [page] = pages;
  if (failure) return EMPTY.failed(failure);
  if (!page || page.items.length > 0)
    return EMPTY.unknown('No page was empty.', { asked, came: 'a page with items' });
  const { startCursor, endCursor, hasNextPage } = page.paging ?? {};
  const kind = (each?: Json) => (each === undefined ? 'missing' : each === null ? 'null' : typeof each);
  const [start, end] = [kind(startCursor), kind(endCursor)];
  const next = typeof hasNextPage === 'boolean' ? hasNextPage : 'not a boolean';
  const on = { asked, came: `startCursor ${start}, endCursor ${end}, hasNextPage ${next}` };
  if (hasNextPage !== false)
    return EMPTY.warning('A page without items does not indicate that it is the last one.', on);
  const given = [start, end].includes('null') ? 'null' : 'present';
  return EMPTY.fine(`Cursors of a page without items are ${given}. Passes do not need them.`, on);
}

/** Whether a cursor points at an item or counts items. A cursor of the whole list is sent with a filter that leaves out
 *  some projects before it: one that counts then begins further on than one that points at an item. */
export async function examineCursors(survey: Survey): Promise<Judged> {
  const { asker } = survey;
  const asked: Probed[] = [];
  const remedy = 'No action needed: passes read a list of several pages twice.';
  const unseen = (came: string) =>
    CURSORS.unknown('Could not determine what they mean.', { asked, came }, remedy);
  const found = await confirmed<Judged>(survey, async read => {
    const rows = rowsOf(survey, read);
    // The middle of the list, but within its first page.
    const place = Math.min(Math.floor(rows.length / 2), read.pages[0]?.items.length ?? 0);
    const filter = filterFor(rows, place);
    if (!filter) return unseen('too few update times, or too many projects');
    const { query, isLeft } = filter;
    const head = await projectsPage(asker, { first: place });
    const after = pageBody(head.body, 'projects').next;
    if (after === undefined) return CURSORS.failed(head, remedy);
    const before = await readProjects(asker, query);
    const rest = await projectsPage(asker, { first: read.first, after, ...query });
    asked.push(head, rest);
    if (rest.body === undefined) {
      const came = `status ${rest.status} for a cursor of another filter`;
      return CURSORS.fine('A cursor works only with its own filter.', { asked, came });
    }
    const again = await readProjects(asker, query);
    return now => {
      const left = rows.filter(isLeft);
      // Some edits show with a filter later than in the list.
      const isSame = [before, again].every(each => isEqual(rowsOf(survey, each), left));
      if (!isSame || !isSameList(survey, read, now)) return undefined;
      const page = pageBody(rest.body, 'projects');
      const got = rowsOf(survey, page);
      const isIt = (list: typeof rows) =>
        isEqual(got, page.next === undefined ? list : list.slice(0, got.length));
      const pointed = rows.slice(place).filter(isLeft);
      const isPointed = isIt(pointed);
      const came = `${counted(got.length, 'project')} after a cursor, of ${pointed.length}`;
      if (isPointed === isIt(left.slice(place))) return unseen(came);
      const text = isPointed
        ? 'They point at an item: earlier items that appear or disappear shift nothing.'
        : 'They count items: items that appear or disappear during a reading shift others between pages. Passes read the list twice.';
      return CURSORS.fine(text, { asked, came });
    };
  });
  return found ?? unseen('projects that were edited while they were read');
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

type Row = { readonly id: string; readonly time: number | undefined };

/** A filter by the middle update time, with which a cursor at this place shows by its answer what it means. */
function filterFor(rows: readonly Row[], place: number) {
  const times = known(rows.map(({ time }) => time));
  const sorted = [...new Set(times)].sort((one, other) => one - other);
  if (rows.length > MAX_ITEMS || times.length < rows.length || sorted.length < MIN_SAMPLES) return undefined;
  const half = Math.floor(sorted.length / 2);
  const edge = Math.floor(((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2);
  const text = new Date(edge).toISOString();
  const filters = [
    { query: { updatedBefore: text }, isLeft: ({ time = 0 }: Row) => time < edge },
    { query: { updatedAfter: text }, isLeft: ({ time = 0 }: Row) => time > edge },
  ];
  return filters.find(({ isLeft }) => {
    const before = rows.slice(0, place).filter(isLeft).length;
    return before < place && rows.filter(isLeft).length > before;
  });
}
