import * as z from 'zod';
import type { ProcessKey } from '../basics/process.ts';
import type { Action, Subject } from '../store/actions.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { findKnownProcess, onlyOne, orForgotten } from './find-process.ts';
import { findEndpoint } from './house.ts';
import { type OperationsHouse, PAGE } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

/** A page of actions, the newest first: those on one endpoint, on one process, or all. */
export async function actionsPage(
  asked: RequestOf<'actions'>,
  house: OperationsHouse,
): Promise<AnswerOf<'actions'>> {
  const { limit = PAGE, cursor } = asked;
  const position = readCursor('actions', cursor, z.string());
  const page = await house.actions.list(await subjectOf(asked, house), limit, position);
  // A removed endpoint or process keeps its actions: a name is unknown only if there are none.
  if (page.actions.length === 0 && cursor === undefined) await checkSubject(asked, house);
  return {
    actions: page.actions.map(answerOf),
    ...(page.position !== undefined && { cursor: cursorOf('actions', page.position) }),
  };
}

async function subjectOf(
  { endpoint, process, workspace }: RequestOf<'actions'>,
  house: OperationsHouse,
): Promise<Subject | undefined> {
  if (endpoint !== undefined) return { endpoint };
  if (process === undefined) return undefined;
  if (workspace !== undefined) return { process: { workspace, processId: process } };
  const hasActions = async (key: ProcessKey) =>
    (await house.actions.list({ process: key }, 1)).actions.length > 0;
  const known = async () => [await findKnownProcess({ process }, house)];
  const found = onlyOne(await orForgotten({ process }, house, known, hasActions));
  return { process: { workspace: found.workspace, processId: found.processId } };
}

/** @throws Refused for an unknown name */
async function checkSubject(
  { endpoint, process, workspace }: RequestOf<'actions'>,
  house: OperationsHouse,
): Promise<void> {
  if (endpoint !== undefined) await findEndpoint(endpoint, house);
  if (process !== undefined) await findKnownProcess({ process, workspace }, house);
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
    ...('endpoint' in subject && { endpoint: subject.endpoint }),
    ...('process' in subject && {
      workspace: subject.process.workspace,
      process: subject.process.processId,
    }),
    ...(details !== undefined && { details }),
  };
}
