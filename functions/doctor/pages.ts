import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { type Examination, type Examined, found } from './examination.ts';
import { readUsers } from './list-names.ts';
import { type ListName, type ListRead, PAGE_SIZES, pageBody, readAudit, readProjects } from './lists.ts';
import { readTasks } from './tasks.ts';
import { counted } from './words.ts';

/** How large pages may be, and how too large ones fail (service-api.md §8). */
export const pageSizes: Examination = {
  topic: 'page size',
  async examine(asker) {
    const projects = await readProjects(asker);
    const tasks = (await readTasks(asker)).map(({ read }) => read);
    const larger = await askForMore(asker, projects);
    const lists: [ListName, readonly ListRead[], Probed | undefined][] = [
      ['projects', [projects], larger],
      ['tasks', tasks, undefined],
      ['auditLog', [await readAudit(asker)], undefined],
      ['users', [await readUsers(asker)], undefined],
    ];
    const safe = safeSize(lists.flatMap(([, reads]) => reads));
    return joined(lists.map(([name, reads, more]) => judgePages(name, reads, { larger: more, safe })));
  },
};

const MORE = 1_000;

/** Asks for one page that is larger than those of passes, if the list has more than one of theirs. */
async function askForMore(asker: Asker, { pages, tooLarge }: ListRead): Promise<Probed | undefined> {
  if (tooLarge.length > 0 || pages[0]?.next === undefined) return undefined;
  return asker.get(['processes', asker.process, 'projects'], { first: MORE }, { again: true });
}

/** The size of the largest answer that worked, in characters, if others were too large. */
export function safeSize(reads: readonly ListRead[]): number | undefined {
  if (reads.every(({ tooLarge }) => tooLarge.length === 0)) return undefined;
  return Math.max(...reads.flatMap(({ answers }) => answers.map(({ size }) => size)));
}

const WORDS = { projects: 'project', tasks: 'task', auditLog: 'entry', users: 'user' } as const;

interface Judged extends Examined {
  readonly name: ListName;
  readonly first?: number;
}

export function judgePages(
  name: ListName,
  reads: readonly ListRead[],
  { larger, safe }: { larger?: Probed | undefined; safe?: number | undefined } = {},
): Judged {
  const topic = `page size of ${name === 'auditLog' ? 'the audit log' : name}`;
  const answers = reads.flatMap(each => each.answers);
  if (answers.length === 0) return { name, findings: [] };
  const tooLarge = reads.flatMap(each => each.tooLarge);
  const most = Math.max(...reads.flatMap(({ pages }) => pages.map(({ items }) => items.length)));
  const size = Math.max(...answers.map(answer => answer.size));
  const came = `at most ${counted(most, WORDS[name])} in ${kilobytes(size)}`;
  const first = Math.min(...reads.map(each => each.first));
  // Other lists of this kind may have larger records, which should fit as well.
  const fitting = Math.min(first, safe === undefined ? first : fittingIn(safe, reads));
  const proposal = fitting < PAGE_SIZES[name] && safe !== undefined ? { first: fitting } : {};
  if (tooLarge.length > 0) {
    const statuses = [...new Set(tooLarge.map(({ status, failure }) => `${status ?? failure}`))].join(', ');
    const text = `A page of ${leastIn(tooLarge)} fails (${statuses}), one of ${first} works.`;
    const on = {
      asked: [...tooLarge, ...answers],
      came,
      remedy: 'Set pageSize, as below: else each pass asks for too much first.',
    };
    return { name, ...proposal, findings: [found(topic, 'setting', text, on)] };
  }
  const cap = capOf(reads);
  if (proposal.first !== undefined && cap === undefined) {
    const text = `It works; but a page of ${PAGE_SIZES[name]} would be too large, going by their size. One of ${proposal.first} is not.`;
    const on = { asked: answers, came, remedy: 'Set pageSize, as below.' };
    return { name, ...proposal, findings: [found(topic, 'setting', text, on)] };
  }
  if (cap !== undefined) {
    const text = `A page has at most ${cap}, though ${first} were asked for.`;
    return { name, ...proposal, findings: [found(topic, 'fine', text, { asked: answers, came })] };
  }
  const more = larger ? ` ${moreText(larger)}` : '';
  const text = `Pages of ${PAGE_SIZES[name]} work; the fullest had ${most}.${more}`;
  const asked = [...answers, ...(larger ? [larger] : [])];
  return { name, ...proposal, findings: [found(topic, 'fine', text, { asked, came })] };
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
    pages
      .filter(({ next, items }) => next !== undefined && items.length < first)
      .map(({ items }) => items.length),
  );
  return short.length > 0 ? Math.max(...short) : undefined;
}

function moreText({ body, status, failure, size }: Probed): string {
  if (body === undefined) return `One of ${MORE} fails (${status ?? failure}).`;
  return `One of ${MORE} has ${pageBody(body, 'projects').items.length}, in ${kilobytes(size)}.`;
}

const kilobytes = (characters: number): string => `${Math.max(1, Math.round(characters / 1024))} KB`;

function joined(all: readonly Judged[]): Examined {
  const sizes = all.flatMap(({ name, first }) => (first === undefined ? [] : [[name, first]]));
  return {
    findings: all.flatMap(({ findings }) => findings),
    ...(sizes.length > 0 && { settings: { workspace: { pageSize: Object.fromEntries(sizes) } } }),
  };
}
