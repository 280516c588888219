import type { Random } from '../../functions/basics/clock.ts';
import { between, sample, seededRandom } from '../data/random.ts';
import type {
  AuditEntry,
  ProjectState,
  SimulatedProcess,
  TaskState,
  User,
  Workspace,
} from '../data/workspace.ts';
import { FIRST_COUNTERS, SYSTEM } from '../data/workspace.ts';
import { LAUNCH } from './launch.ts';
import { ONBOARDING } from './onboarding.ts';
import { people } from './people.ts';
import { projectFields, taskFields } from './records.ts';
import { type Scenario, TASK_STATUSES } from './scenario.ts';
import { believableValues } from './values.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const PROJECTS = 30;
const TASKS = 25;

/** The processes of the believable workspace. */
export const SCENARIOS: readonly Scenario[] = [ONBOARDING, LAUNCH];

interface Numbers {
  seq: number;
  project: number;
  task: number;
}

/** The workspace of a small company: 2 processes of 30 projects, 1,500 tasks in all, custom fields of all
 *  five types in both places. The same seed and time give the same workspace.
 *  @param now ms since 1970: dates are around it, and update times before it */
export function believableWorkspace(seed: number, now: number): Workspace {
  const random = seededRandom(seed);
  const users = people();
  const numbers: Numbers = { ...FIRST_COUNTERS };
  const processes = SCENARIOS.map(scenario => makeProcess(scenario, users, numbers, random, now));
  return {
    users,
    processes: new Map(processes.map(process => [process.id, process])),
    counters: { ...numbers },
  };
}

function makeProcess(
  scenario: Scenario,
  users: readonly User[],
  numbers: Numbers,
  random: Random,
  now: number,
): SimulatedProcess {
  const projects: ProjectState[] = [];
  for (let index = 0; index < PROJECTS; index += 1) {
    const extra = (index % 2 === 0 ? 1 : -1) * (((index >> 1) * 3) % 6);
    projects.push(makeProject(scenario, index, TASKS + extra, users, numbers, random, now));
  }
  return {
    id: scenario.id,
    name: scenario.name,
    projectFields: scenario.projectFields,
    taskFields: scenario.taskFields,
    projects: new Map(projects.map(project => [project.id, project])),
    audit: history(projects, users, numbers),
    deletedProjects: [],
  };
}

/** Old projects have mostly completed tasks, newer ones are active, the newest are only planned. */
function makeProject(
  scenario: Scenario,
  index: number,
  taskCount: number,
  users: readonly User[],
  numbers: Numbers,
  random: Random,
  now: number,
): ProjectState {
  const done = Math.min(1, Math.max(0, 1.15 - index / (PROJECTS * 0.8)));
  const state = done === 1 ? 'Completed' : done === 0 ? 'Planned' : random() < 0.12 ? 'On hold' : 'Active';
  const name = scenario.projectNames[index] ?? `${scenario.name} ${index + 1}`;
  numbers.project += 1;
  numbers.seq += 1;
  const createdAt = now - (PROJECTS - index) * 6 * DAY - between(random, 0, 1440) * MINUTE;
  const base = {
    id: String(numbers.project),
    seq: numbers.seq,
    createdAt,
    fields: projectFields(scenario, name, state, users, random),
    values: believableValues(
      scenario,
      scenario.projectFields,
      random,
      now,
      Math.round((1 - done) * 90) - 10,
      12,
    ),
  };
  const tasks = sample(random, scenario.taskNames, taskCount).map((taskName, position) =>
    makeTask(
      scenario,
      taskName,
      position,
      position / taskCount - done,
      createdAt,
      users,
      numbers,
      random,
      now,
    ),
  );
  const updatedAt = Math.max(createdAt, ...tasks.map(task => task.updatedAt));
  return { ...base, updatedAt, tasks: new Map(tasks.map(task => [task.id, task])) };
}

/** @param ahead the distance of the task from the project's progress; below 0 it is done */
function makeTask(
  scenario: Scenario,
  name: string,
  position: number,
  ahead: number,
  createdAt: number,
  users: readonly User[],
  numbers: Numbers,
  random: Random,
  now: number,
): TaskState {
  const status = ahead < 0 ? TASK_STATUSES[3] : TASK_STATUSES[ahead < 0.05 ? 2 : ahead < 0.15 ? 1 : 0];
  const days = Math.round(ahead * 60) + (ahead < 0 ? -1 : 3);
  numbers.task += 1;
  numbers.seq += 1;
  return {
    id: String(numbers.task),
    seq: numbers.seq,
    createdAt,
    updatedAt: createdAt + Math.floor(random() * (now - createdAt) * 0.98),
    fields: taskFields(name, status, position + 1, users, random, now, days),
    values: believableValues(scenario, scenario.taskFields, random, now, days, 4),
  };
}

function history(projects: readonly ProjectState[], users: readonly User[], numbers: Numbers): AuditEntry[] {
  const inOrder = projects.toSorted((a, b) => a.createdAt - b.createdAt);
  return inOrder.map((project, index) => {
    numbers.seq += 1;
    return {
      seq: numbers.seq,
      at: project.createdAt,
      user: users[index % users.length]?.id ?? SYSTEM,
      action: 'created',
      entity: { type: 'project', name: project.fields.name ?? null },
      details: { context: { projectId: project.id }, properties: [] },
    };
  });
}
