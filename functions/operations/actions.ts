import * as z from 'zod';
import type { ProcessKey } from '../basics/process.ts';
import type { Action, Subject } from '../store/store.ts';
import type { Acted, OperationsContext } from './context.ts';
import { findEndpoint } from './endpoints.ts';
import { cursorOf, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import { findKnownProcess, onlyOne, orForgotten } from './processes.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

/** Adds an entry to the action log. A failure is only logged: the answer must not say that the operation
 *  failed, nor be lost with a secret that is shown only once. */
export async function recordAction(
  { actions, clock, log }: OperationsContext,
  done: NonNullable<Acted<unknown>['action']> & Pick<Action, 'operation' | 'who' | 'isProven'>,
): Promise<void> {
  const action = { at: clock(), ...done };
  try {
    await actions.note(action);
  } catch (error) {
    log.error('Could not write to the action log.', { ...action, error: String(error) });
  }
}

/** A page of actions, the newest first: those on one endpoint, on one process, or all. */
export async function listActions(
  context: OperationsContext,
  asked: RequestOf<'actions'>,
): Promise<AnswerOf<'actions'>> {
  const { limit = DEFAULT_LIMIT, cursor } = asked;
  const position = readCursor('actions', cursor, z.string());
  const page = await context.actions.list(await subjectOf(context, asked), limit, position);
  // A removed endpoint or process keeps its actions: a name is unknown only if it has none.
  if (page.actions.length === 0 && cursor === undefined) await checkSubject(context, asked);
  return {
    actions: page.actions.map(answerOf),
    ...(page.position !== undefined && { cursor: cursorOf('actions', page.position) }),
  };
}

async function subjectOf(
  context: OperationsContext,
  { endpoint, process, workspace }: RequestOf<'actions'>,
): Promise<Subject | undefined> {
  if (endpoint !== undefined) return { endpoint };
  if (process === undefined) return undefined;
  if (workspace !== undefined) return { process: { workspace, processId: process } };
  const hasData = async (key: ProcessKey) =>
    (await context.actions.list({ process: key }, 1)).actions.length > 0;
  const find = async () => [await findKnownProcess(context, { process })];
  const found = onlyOne(await orForgotten(context, { process }, { find, hasData }));
  return { process: { workspace: found.workspace, processId: found.processId } };
}

/** @throws Refused for an unknown name */
async function checkSubject(
  context: OperationsContext,
  { endpoint, process, workspace }: RequestOf<'actions'>,
): Promise<void> {
  if (endpoint !== undefined) await findEndpoint(context, endpoint);
  if (process !== undefined) await findKnownProcess(context, { process, workspace });
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
