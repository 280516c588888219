import type { Random } from '../../functions/basics/clock.ts';
import type { JsonObject } from '../../functions/basics/json.ts';
import { between, pick, sample } from '../data/random.ts';
import type { User } from '../data/workspace.ts';
import { personReference } from './people.ts';
import { type Scenario, TASK_STATUSES } from './scenario.ts';
import { dateFrom } from './values.ts';

/** The built-in fields of a project. */
export function projectFields(
  scenario: Scenario,
  name: string,
  state: string,
  users: readonly User[],
  random: Random,
): JsonObject {
  const owner = pick(random, users);
  return {
    name,
    state,
    description: random() < 0.3 ? null : `${scenario.name}: ${name}`,
    owner: personReference(owner),
    members: sample(random, users, between(random, 2, 4)).map(personReference),
    tags: sample(random, scenario.tags, between(random, 0, 3)),
    progress: state === 'Completed' ? 100 : state === 'Planned' ? 0 : between(random, 1, 19) * 5,
    confidential: random() < 0.1,
    budgetApproval: {
      required: random() < 0.5,
      approvedBy: null,
      limit: { amount: between(random, 1, 20) * 1000, currency: 'EUR' },
    },
  };
}

/** The built-in fields of a task.
 *  @param position its place in the order of the work, from 1
 *  @param days when it is due, from `now` */
export function taskFields(
  name: string,
  status: string,
  position: number,
  users: readonly User[],
  random: Random,
  now: number,
  days: number,
): JsonObject {
  const isDone = status === 'Done';
  return {
    name,
    status,
    position,
    blocked: status === TASK_STATUSES[1] && random() < 0.1,
    assignee: status === 'To do' && random() < 0.4 ? null : personReference(pick(random, users)),
    completedOn: isDone ? dateFrom(now, Math.min(days, 0)) : null,
    checklist: checklist(isDone, random),
    effort: { planned: between(random, 1, 16), spent: status === 'To do' ? 0 : between(random, 1, 12) },
    labels: [],
  };
}

function checklist(isDone: boolean, random: Random): JsonObject[] {
  const steps = sample(random, ['Prepare', 'Do', 'Have it reviewed', 'Announce it'], between(random, 0, 3));
  return steps.map(text => ({ text, done: isDone || random() < 0.3 }));
}
