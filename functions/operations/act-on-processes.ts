import type { KnownProcess } from '../store/processes.ts';
import { iso } from './cursor.ts';
import { type Done, only } from './done.ts';
import { findProcess, findRemovedProcess } from './find-process.ts';
import { COUNTED, type OperationsHouse } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

export async function startPass(
  { mode, ...asked }: RequestOf<'pass'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'pass'>>> {
  const process = keyOf(await findProcess(asked, house));
  const startedAt = iso(house.clock());
  await house.passes.start(process, mode);
  return {
    answer: { workspace: process.workspace, process: process.processId, mode, startedAt },
    action: { subject: { process }, details: mode },
  };
}

/** Lets the deletions of a process that is on hold go ahead. Refused for others: a release in advance would
 *  mean that their deletions never wait. */
export async function release(
  { dryRun = false, ...asked }: RequestOf<'release'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'release'>>> {
  const process = keyOf(await findProcess(asked, house));
  const { hold } = await house.states.progress(process);
  const isOnHold = hold !== undefined && (dryRun || (await house.states.release(process)));
  if (!isOnHold) throw new Refused('This process is not on hold: no deletions wait.');
  const { workspace, processId } = process;
  const answer = { workspace, process: processId, projects: hold.missing, since: iso(hold.since), dryRun };
  if (dryRun) return only(answer);
  return { answer, action: { subject: { process }, details: `${hold.missing} projects` } };
}

/** Deletes what is kept of a process that is no longer configured, at most a thousand projects with each
 *  request. If it is configured again, it begins with a new baseline. */
export async function forget(
  { dryRun = false, ...asked }: RequestOf<'forget'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'forget'>>> {
  if (!house.isRunning)
    throw new Refused('Nothing runs: only a run knows what is configured. Start it, and ask again.');
  const process = keyOf(await findRemovedProcess(asked, house));
  const { workspace, processId } = process;
  const answer = (atLeast: number, isExact: boolean) => ({
    ...{ workspace, process: processId, dryRun },
    projects: { atLeast, isExact },
  });
  if (dryRun) {
    const projects = await house.roster.count(process, COUNTED);
    return only(answer(projects, projects < COUNTED));
  }
  const forgotten = await house.roster.forget(process, { now: house.clock(), most: COUNTED });
  if (forgotten === 'busy')
    throw new Refused('A pass walks it still. When the status shows none under way, ask again.');
  const { projects, isDone } = forgotten;
  const details = `${projects} projects${isDone ? '' : ', and more are left'}`;
  return { answer: answer(projects, isDone), action: { subject: { process }, details } };
}

function keyOf({ workspace, processId }: KnownProcess) {
  return { workspace, processId };
}
