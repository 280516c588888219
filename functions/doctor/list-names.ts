import type { Finding } from '../operations/protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { type Examination, failed, found } from './examination.ts';
import { type ListRead, readAudit, readList, readProjects } from './lists.ts';
import { projectKey, readTasks } from './tasks.ts';
import { propertyList, shown } from './words.ts';

/** The names of the lists for which the document gives none (service-api.md §4.3). */
export const listNames: Examination = {
  topic: 'list names',
  async examine(asker) {
    const tasks = await readTasks(asker);
    const lists: [string, ListRead | undefined][] = [
      ['projects', await readProjects(asker)],
      ['tasks', tasks.find(({ read }) => read.pages.length > 0)?.read],
      ['the audit log', await readAudit(asker)],
      ['users', await readUsers(asker)],
    ];
    const findings = lists.flatMap(([name, read]) =>
      read && !(name === 'the audit log' && isDenied(read)) ? [judgeName(name, read)] : [],
    );
    const refused = tasks.length === 0 ? await refusedTasks(asker) : undefined;
    return { findings: refused ? [...findings, refused] : findings };
  },
};

/** The finding when no task list could be read. */
async function refusedTasks(asker: Asker): Promise<Finding | undefined> {
  const { asked } = await projectKey(asker);
  const last = asked.at(-1);
  if (!last) return undefined;
  const remedy =
    'No pass can do without. Ask the operator of the service for access, or which property of a project its paths take.';
  const on = { asked, came: last.failure ?? `status ${last.status}`, remedy };
  return found('list of tasks', 'warning', 'The tasks of no project can be read.', on);
}

/** A denied audit log is reported by another examination. */
const isDenied = ({ failure }: ListRead): boolean => failure?.status === 403 || failure?.status === 404;

export const readUsers = (asker: Asker) => readList(asker, 'users', ['users'], { most: 2 });

export function judgeName(name: string, { answers, pages, failure, isStuck }: ListRead) {
  const topic = `list of ${name}`;
  const [page] = pages;
  if (!page) return failure ? failed(topic, failure) : found(topic, 'unknown', 'Nothing came.', NOTHING);
  const came = `${propertyList(page.arrays)}${page.paging ? ' beside paging' : ', and no paging'}`;
  const on = { asked: answers.slice(0, 1), came };
  if (page.property === undefined)
    return found(topic, 'warning', 'It can not be told which property is the list.', {
      ...on,
      remedy: REMEDY,
    });
  if (!page.paging)
    return found(topic, 'warning', `It is ${shown(page.property)}, and says nothing of further pages.`, {
      ...on,
      remedy: REMEDY,
    });
  if (isStuck) {
    const text = `It is ${shown(page.property)}, and its pages repeat: the cursor of one leads back to it.`;
    return found(topic, 'warning', text, { ...on, asked: answers, remedy: REMEDY });
  }
  if (failure) {
    const text = `It is ${shown(page.property)}; its first page comes, and a further one fails.`;
    const ofFailure = { asked: [...answers, failure], came: failure.failure ?? `status ${failure.status}` };
    return found(topic, 'warning', text, { ...ofFailure, remedy: REMEDY });
  }
  return found(topic, 'fine', `It is ${shown(page.property)}.`, on);
}

const NOTHING = { asked: [], came: 'nothing' };
const REMEDY =
  'Changewire needs an answer with one list and paging (service-api.md §2.2). Ask the operator of the service, and report this.';
