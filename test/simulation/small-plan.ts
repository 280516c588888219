import type { Edit, EditKind, Plan } from './plan.ts';

/** A plan in which nothing happens but its steps: two projects with a task each, and no fault. */
export function smallPlan(storage: Plan['storage'], steps: Plan['steps']): Plan {
  return {
    seed: 1,
    ...{ storage, together: false, steps },
    workspace: { projects: 2, tasks: 1 },
    freedoms: {},
    pageSize: { projects: 50, tasks: 50, auditLog: 50 },
    concurrency: 4,
    ...{ others: 0, sick: undefined, outages: [], skew: { service: 0, pollers: [0, 0] } },
    ...{ publisher: [], deliverer: [], router: [], ticks: [], partly: { publish: [], deliver: [] } },
    ...{ backlog: undefined, unwelcome: undefined, streamBatch: 100, streamAgain: [] },
    commitSize: 1_000,
    mess: { late: 0, twice: 0, undeleted: 0, shownTwice: 0, sameRequest: 0, cramped: 0 },
    ...{ chat: undefined, windows: {}, batch: undefined, audit: false, history: 0, compressed: false },
    ...{
      poison: undefined,
      restless: undefined,
      sluggish: undefined,
      schedule: undefined,
      rollout: undefined,
      rules: undefined,
    },
  };
}

/** A pass that meets no fault. */
export const WALK = { budget: 900_000, strikes: [] } as const;

/** The edit of a small world. */
export function smallEdit(edit: EditKind): Edit {
  return { in: 0, edit, a: 0, b: 0, value: 4, by: [0], audit: true, touch: true };
}
