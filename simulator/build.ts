import { people } from './believable/people.ts';
import { field } from './believable/scenario.ts';
import type { Field, ProjectState, SimulatedProcess, TaskState, Workspace } from './data/workspace.ts';
import { FIRST_COUNTERS } from './data/workspace.ts';

/** A plain process for tests: N projects of M tasks. */
export interface ProcessPlan {
  readonly id: string;
  readonly projects: number;
  readonly tasksPerProject: number;
  /** Custom fields; when left out, `PLAIN_PROJECT_FIELDS` and `PLAIN_TASK_FIELDS`. */
  readonly projectFields?: readonly Field[];
  readonly taskFields?: readonly Field[];
}

/** One field of each type on projects; the property is the `externalId`. */
export const PLAIN_PROJECT_FIELDS: readonly Field[] = [
  field('Main', 'summary', 'Summary', 'text'),
  field('Main', 'budget', 'Budget', 'number'),
  field('Main', 'startDate', 'Start date', 'date'),
  field('Main', 'phase', 'Phase', 'single-choice', ['Plan', 'Build', 'Run']),
  field('Main', 'regions', 'Regions', 'multiple-choice', ['North', 'East', 'South', 'West']),
];

/** One field of each type on tasks: properties `note`, `effortHours`, `dueDate`, `risk-level` and `involvedTeams`. */
export const PLAIN_TASK_FIELDS: readonly Field[] = [
  field('Main', 'Note', 'Note', 'text'),
  field('Main', 'Effort hours', 'Effort hours', 'number'),
  field('Main', 'Due date', 'Due date', 'date'),
  field('Main', 'risk-level', 'Risk level', 'single-choice', ['Low', 'Medium', 'High']),
  field('Main', 'Involved teams', 'Involved teams', 'multiple-choice', [
    'Design',
    'Legal',
    'Sales',
    'Support',
  ]),
];

/** Builds a workspace without an audit history, quickly. Ids count up from 1001 (projects) and 500001 (tasks).
 *  @param plan `now` is when everything was made, in ms since 1970; the default is 2026-01-01 */
export function buildWorkspace(plan: {
  readonly processes: readonly ProcessPlan[];
  readonly now?: number;
}): Workspace {
  const now = plan.now ?? Date.UTC(2026, 0, 1);
  const counters = { ...FIRST_COUNTERS };
  const processes = plan.processes.map(process => plainProcess(process, counters, now));
  return { users: people(), processes: new Map(processes.map(process => [process.id, process])), counters };
}

function plainProcess(
  plan: ProcessPlan,
  counters: { seq: number; project: number; task: number },
  now: number,
): SimulatedProcess {
  const times = { createdAt: now, updatedAt: now, values: {} };
  const projects = new Map<string, ProjectState>();
  for (let number = 1; number <= plan.projects; number += 1) {
    counters.seq += 1;
    counters.project += 1;
    const id = String(counters.project);
    const seq = counters.seq;
    const tasks = new Map<string, TaskState>();
    for (let taskNumber = 1; taskNumber <= plan.tasksPerProject; taskNumber += 1) {
      counters.seq += 1;
      counters.task += 1;
      const fields = { name: `Task ${taskNumber}`, status: 'To do', assignee: null };
      tasks.set(String(counters.task), { ...times, id: String(counters.task), seq: counters.seq, fields });
    }
    projects.set(id, { ...times, id, seq, fields: { name: `Project ${number}`, state: 'Active' }, tasks });
  }
  return {
    id: plan.id,
    name: plan.id,
    projectFields: plan.projectFields ?? PLAIN_PROJECT_FIELDS,
    taskFields: plan.taskFields ?? PLAIN_TASK_FIELDS,
    projects,
    audit: [],
    deletedProjects: [],
  };
}
