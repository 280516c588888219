import { commit } from './commit.ts';
import type { Found } from './debts.ts';
import { type DecisionRules, decide, type Seen, type Verdict } from './decide.ts';
import { type Candidate, observe } from './observe.ts';
import type { Pass } from './pass.ts';
import { failureReason } from './process-events/failure-reason.ts';

/** How many conflicts with other passes are tolerated before this one gives up on the project. */
const TRIES = 20;

/** What came of a look. */
export interface Looked extends Found {
  /** When its tasks were read, in ms since 1970; undefined if they were not. */
  readonly tasksReadAt?: number | undefined;
}

/** The task list of a listed project answers 404 though the project had tasks. They may be gone, or the service may be at fault: nothing
 *  tells which. Subscribers may read the message. */
export class TaskListMissingError extends Error {
  readonly scope = 'project';

  constructor(projectId: string) {
    super(
      `Project ${projectId} is listed, but its task list answers 404. Its tasks are left as they were; see in the service ` +
        'whether they can be opened there.',
    );
  }
}

/** Looks at one project: observes it, decides, and commits the difference. After a conflict with another pass it looks again.
 *  @throws any error that is not of this project alone */
export async function look(pass: Pass, candidate: Candidate, round: DecisionRules['round']): Promise<Looked> {
  try {
    return await lookOrThrow(pass, candidate, round);
  } catch (error) {
    if (!isOfOneProject(error)) throw error;
    return { end: 'unreadable', reason: failureReason(error), fault: error };
  }
}

async function lookOrThrow(pass: Pass, candidate: Candidate, round: DecisionRules['round']): Promise<Looked> {
  const { projectId } = candidate;
  let next = candidate;
  for (let conflicts = 0; conflicts < TRIES; ) {
    const seen = await observe(pass, next);
    if ('isSame' in seen) return { end: 'settled', tasksReadAt: seen.readAt };
    const verdict = await decideByFreshRules(pass, seen, round);
    const committed = await carryOut(pass, seen, verdict);
    if (committed === 'committed') return lookedAt(seen, verdict);
    if (committed === 'conflict') conflicts += 1;
    // The head that was read ahead is stale now: observe loads the snapshot instead.
    next = { ...candidate, head: undefined };
  }
  throw new Error(
    `Project ${projectId} of process ${pass.parts.process.processId} was not committed in ${TRIES} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}

/** Decides; if there are changes to tell, reads the field definitions and decides again: events carry the names and types of now. */
async function decideByFreshRules(pass: Pass, seen: Seen, round: DecisionRules['round']): Promise<Verdict> {
  const { kind, definitions } = pass;
  const verdict = decide(seen, { kind, round, compare: definitions.rules });
  if (!verdict.difference || verdict.difference.changes.length === 0) return verdict;
  return decide(seen, { kind, round, compare: await definitions.readAndTell() });
}

async function carryOut(pass: Pass, seen: Seen, { difference }: Verdict) {
  if (!difference) return 'committed';
  const { projectId, snapshot, tombstone } = seen;
  return commit(pass, { ...difference, projectId, snapshot, tombstone });
}

function lookedAt({ projectId, tasks }: Seen, { end, lacksTasks }: Verdict): Looked {
  if (end !== 'no-task-list' || !lacksTasks) return { end, tasksReadAt: tasks?.readAt };
  const fault = new TaskListMissingError(projectId);
  return { end, reason: fault.message, fault };
}

/** True for an error that concerns one project alone, unlike a refused token, a rate limit or a service that can't be reached. */
export function isOfOneProject(error: unknown): error is Error {
  return error instanceof Error && 'scope' in error && error.scope === 'project';
}
