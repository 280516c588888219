import type { JsonObject } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import { MAX_TRIES } from './dated.ts';
import { type Examination, found } from './examination.ts';
import { identifierIn, type ListRead, readList, readProjects, textOf } from './lists.ts';
import { readTasks, tasksPath } from './tasks.ts';
import { counted, propertyList } from './words.ts';

/** Identifiers that several records have, and large records. */
export const records: Examination = {
  topic: 'records',
  async examine(asker) {
    const projects = await readProjects(asker);
    const tasks = await readTasks(asker);
    const answers = tasks.flatMap(({ read }) => read.answers);
    const lists = tasks.map(({ read }) => read.items);
    const again = { again: true };
    const ofProjects = await lasting('project', projects, () => readProjects(asker, again));
    const ofTasks: ListRead[] = [];
    for (const { id, read } of tasks)
      ofTasks.push(
        await lasting('task', read, () =>
          readList(asker, 'tasks', tasksPath(asker, id), { most: 2, ...again }),
        ),
      );
    return {
      findings: [
        judgeTwins('project', [ofProjects.items], ofProjects.answers),
        judgeTwins(
          'task',
          ofTasks.map(({ items }) => items),
          answers,
        ),
        judgeSizes([...projects.items, ...lists.flat()], [...projects.answers, ...answers]),
      ],
    };
  },
};

/** A reading without twins, if one can be had: a record that moves while a list is read comes twice, too. */
async function lasting(kind: 'project' | 'task', read: ListRead, again: () => Promise<ListRead>) {
  let last = read;
  for (let tries = 1; tries < MAX_TRIES && twinsIn(kind, last.items).length > 0; tries += 1)
    last = await again();
  return last;
}

function twinsIn(kind: 'project' | 'task', list: readonly JsonObject[]): string[] {
  const property = identifierIn(list, kind);
  const ids = property === undefined ? [] : list.map(record => textOf(record[property]));
  return ids.filter((id, index) => id !== '' && ids.indexOf(id) < index);
}

/** Looks for identifiers that occur twice in one list: they may be unique only within a project. */
export function judgeTwins(
  kind: 'project' | 'task',
  lists: readonly (readonly JsonObject[])[],
  asked: readonly Probed[],
): Finding {
  const topic = `${kind}s that come twice`;
  const twins = lists.flatMap(list => twinsIn(kind, list));
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  const came = `${counted(count, kind)}, ${counted(twins.length, 'twin')}`;
  if (twins.length === 0) return found(topic, 'fine', 'None.', { asked, came });
  const text = `Several records have one identifier: ${propertyList([...new Set(twins)])}. Where they differ, none of them is polled.`;
  const remedy = `If they moved while the list was read, ask again. Else set identifiers.${kind} to a property that differs.`;
  return found(topic, 'warning', text, { asked, came, remedy });
}

/** An event has room for a record of this size at most. */
const EVENT_BYTES = 240_000;

export function judgeSizes(all: readonly JsonObject[], asked: readonly Probed[]): Finding {
  const topic = 'record sizes';
  const sizes = all.map(record => JSON.stringify(record).length);
  const largest = sizes.reduce((one, other) => Math.max(one, other), 0);
  const came = `${counted(all.length, 'record')}, the largest of ${largest} characters`;
  if (largest <= EVENT_BYTES)
    return found(topic, 'fine', 'Every record fits into its event.', { asked, came });
  const text = 'Some record does not fit into an event, which is then sent without it (truncated).';
  return found(topic, 'warning', text, { asked, came });
}
