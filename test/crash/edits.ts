import type { Random } from '../../functions/basics/clock.ts';
import { DEFAULT_FREEDOMS } from '../../simulator/data/freedoms.ts';
import { between } from '../../simulator/data/random.ts';
import { fieldsOf, type SimulatedProcess } from '../../simulator/data/workspace.ts';
import type { EditApi } from '../../simulator/server.ts';
import { applyEdit } from '../simulation/edits.ts';
import type { Edit } from '../simulation/plan.ts';

const LEAST_PROJECTS = 4;
/** Of one process, ever: if all but the least were gone at once, they were few enough not to be held. */
const MAX_IDS = 14;
const MAX_TASKS = 8;
const [LEAST_FIELDS, MAX_FIELDS] = [3, 9];

const KINDS = ['project', 'task'] as const;
const idsOf = ({ projects, deletedProjects }: SimulatedProcess) =>
  new Set([...projects.keys(), ...deletedProjects]);
const fieldsOfKinds = (process: SimulatedProcess, isArchived?: boolean) =>
  KINDS.map(kind => fieldsOf(process, kind).filter(each => each.archived === (isArchived ?? each.archived)));

/** How often each kind of edit is made, and whether it fits the process. */
const EDITS: readonly (readonly [
  Edit['edit'],
  weight: number,
  fits?: (process: SimulatedProcess) => boolean,
])[] = [
  ['update task', 30],
  ['update project', 14],
  ['create task', 8, ({ projects }) => [...projects.values()].every(({ tasks }) => tasks.size < MAX_TASKS)],
  ['delete task', 7],
  ['move task', 7],
  ['update many tasks', 4],
  ['rename record', 4],
  ['create project', 3, process => idsOf(process).size < MAX_IDS],
  ['create again', 3],
  ['delete project', 4, ({ projects }) => projects.size > LEAST_PROJECTS],
  ['touch project', 2],
  ['add field', 1, process => fieldsOfKinds(process).every(({ length }) => length < MAX_FIELDS)],
  [
    'archive field',
    2,
    process => fieldsOfKinds(process, false).every(({ length }) => length >= LEAST_FIELDS),
  ],
  ['unarchive field', 2, process => fieldsOfKinds(process, true).some(({ length }) => length > 0)],
  ['rename field', 1],
  ['rename choice', 2],
];

/** Makes one edit of the process, of any kind that fits. @returns the kind */
export function editOnce(edit: EditApi, processId: string, random: Random): string {
  // What shows an edit to a pass, which depends on the freedoms, is not asked here.
  const service = { edit, workspace: () => edit.state, freedoms: DEFAULT_FREEDOMS };
  for (;;) {
    const { state } = edit;
    const process = state.processes.get(processId);
    if (process === undefined) throw new Error(`There is no process ${processId}.`);
    const [kind, , fits = () => true] = weighted(random);
    const [a, b, value] = [0, 0, 0].map(() => between(random, 0, 999_999)) as [number, number, number];
    const step = { edit: kind, a, b, value, by: [], audit: true, touch: true };
    if (fits(process)) applyEdit(service, processId, step);
    if (edit.state !== state) return kind;
  }
}

/** Brings back each archived field: what a record lost with it is told to nobody. */
export function unarchiveAll(edit: EditApi, processId: string): void {
  for (const kind of KINDS)
    for (const { externalId, archived } of edit.fields(processId, kind))
      if (archived) edit.unarchiveField(processId, kind, externalId);
}

function weighted(random: Random): (typeof EDITS)[number] {
  let rest = random() * EDITS.reduce((sum, [, weight]) => sum + weight, 0);
  const found = EDITS.find(([, weight]) => {
    rest -= weight;
    return rest < 0;
  });
  return (found ?? EDITS[0]) as (typeof EDITS)[number];
}
