import type { Finding } from '../operations/protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { projectIds } from './audit-log.ts';
import { leaves, namedIn, pathsNaming } from './audit-paths.ts';
import { type Examination, found } from './examination.ts';
import { pageBody, readAudit, readProjects, textOf } from './lists.ts';
import { tasksPath } from './tasks.ts';

const TOPIC = 'deleted projects';

/** How the task list of a deleted project is answered: with a 404, a deletion is certain at once. */
export const deletedProjects: Examination = {
  topic: TOPIC,
  examine: async asker => ({ findings: [await judge(asker)] }),
};

const MOST = 3;

async function judge(asker: Asker): Promise<Finding> {
  const { isWhole } = await readProjects(asker);
  const gone = isWhole ? await goneIds(asker) : [];
  // A project that was made after the listing was read is in the log, too.
  const now = gone.length > 0 ? await projectIds(asker, { again: true }) : new Set<string>();
  const ids = gone.filter(id => !now.has(id));
  const answers = [];
  for (const id of ids.slice(0, MOST)) answers.push(await asker.get(tasksPath(asker, id), { first: 1 }));
  const missing = answers.filter(({ status }) => status === 404);
  const empty = answers.filter(({ body }) => body !== undefined && pageBody(body).items.length === 0);
  const came = answers.map(({ status }) => `status ${status}`).join(', ');
  const on = { asked: answers, came };
  if (empty.length > 0 && missing.length === 0) {
    const text =
      'Their task list is empty, and no 404: a deletion is certain, and told, with the second sweep that lacks the project.';
    return found(TOPIC, 'fine', text, on);
  }
  if (missing.length > 0 && empty.length === 0) {
    return found(TOPIC, 'fine', 'Their task list answers 404: a deletion is told by the next sweep.', on);
  }
  const remedy = 'To see it, delete a project and ask the doctor again. Nothing to do: passes take either.';
  const why =
    answers.length > 0 ? 'Their task lists answer differently.' : 'Nothing names a project that is gone.';
  return found(TOPIC, 'unknown', why, { asked: answers, came: came || 'nothing', remedy });
}

/** The identifiers that the audit log has where it names projects, and that no project has. */
async function goneIds(asker: Asker): Promise<string[]> {
  const { items } = await readAudit(asker);
  const ids = await projectIds(asker);
  const paths = new Set(pathsNaming(items, ids).slice(0, 1));
  const named = items.toReversed().flatMap(entry => leaves(entry).filter(({ path }) => paths.has(path)));
  const texts = named.map(({ value }) => textOf(value));
  const all = [...beforeIds(texts, ids)].flatMap(before =>
    texts.flatMap(text =>
      text.startsWith(before) ? [text.slice(before.length).split('/', 1)[0] ?? ''] : [],
    ),
  );
  return [...new Set(all)].filter(id => id !== '' && !ids.has(id) && id.length < 100);
}

/** What stands before the identifiers in these texts: nothing, or the beginning of a path. */
function beforeIds(texts: readonly string[], ids: ReadonlySet<string>): Set<string> {
  const named = texts.map(text => [text, namedIn(text, ids)] as const);
  return new Set(named.flatMap(([text, id]) => (id === undefined ? [] : [text.slice(0, text.indexOf(id))])));
}
