import * as z from 'zod';
import type { Action, Subject } from './actions.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { findProcess } from './find-process.ts';
import { findEndpoint } from './house.ts';
import { type OperationsHouse, PAGE } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

/** A page of who did what to one endpoint, or to one process, the newest first. */
export async function actionsPage(
  asked: RequestOf<'actions'>,
  house: OperationsHouse,
): Promise<AnswerOf<'actions'>> {
  const { limit = PAGE, cursor } = asked;
  const position = readCursor('actions', cursor, z.string());
  const subject = await subjectOf(asked, house);
  const page = await house.actions.list(subject, limit, position);
  // One that is removed keeps its actions: only a name of which nothing is known is none.
  if (page.actions.length === 0 && 'endpoint' in subject) await findEndpoint(subject.endpoint, house);
  return {
    actions: page.actions.map(answerOf),
    ...(page.position !== undefined && { cursor: cursorOf('actions', page.position) }),
  };
}

async function subjectOf(
  { endpoint, process, workspace }: RequestOf<'actions'>,
  house: OperationsHouse,
): Promise<Subject> {
  if (endpoint !== undefined) return { endpoint };
  if (process === undefined)
    throw new Refused('endpoint: an endpoint or a process, one of them', { isUsage: true });
  const found = await findProcess({ process, workspace }, house);
  return { process: { workspace: found.workspace, processId: found.processId } };
}

function answerOf({
  at,
  who,
  isProven,
  operation,
  subject,
  details,
}: Action): AnswerOf<'actions'>['actions'][number] {
  return {
    ...{ at: iso(at), who, isProven, operation },
    ...('endpoint' in subject
      ? { endpoint: subject.endpoint }
      : { workspace: subject.process.workspace, process: subject.process.processId }),
    ...(details !== undefined && { details }),
  };
}
