import * as z from 'zod';
import { isTooDeep, type Json } from '../basics/json.ts';
import { nearest } from '../basics/nearest.ts';
import type { Action, Subject } from '../store/store.ts';
import type { Acted, OperationOf, OperationsContext } from './context.ts';
import { listAttempts, listDeadLetters, resend, resendDead, testEndpoint, traceEvent } from './deliveries.ts';
import {
  addEndpoint,
  finishRotation,
  rotateSecret,
  showEndpoint,
  updateEndpoint,
} from './endpoint-settings.ts';
import { findEndpoint, listEndpoints, pauseEndpoint, removeEndpoint, resumeEndpoint } from './endpoints.ts';
import { eraseProject } from './erase.ts';
import { listEvents } from './events.ts';
import { cursorTo, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import { previewEvent } from './preview.ts';
import {
  examineProcess,
  findOrForgotten,
  forgetProcess,
  onlyOne,
  releaseProcess,
  reloadConfiguration,
  showDefinitions,
  showStatus,
  startPass,
} from './processes.ts';
import type { AnswerOf, AnswerTo } from './protocol/answers.ts';
import {
  isLook,
  isPull,
  type Operation,
  type Reply,
  type Request,
  type RequestOf,
  request,
} from './protocol/requests.ts';
import { ack, nack, take } from './pull.ts';
import { showRecord } from './record.ts';
import { didYouMean, Refused, wrongRequest } from './refused.ts';
import { cancelReplay, replay } from './replay.ts';
import { cancelSnapshot, snapshot } from './snapshot.ts';
import {
  clearFailedMessages,
  listFailedMessages,
  readLogs,
  republish,
  retryFailedMessages,
} from './stack-operations.ts';
import { verifySlice } from './verify.ts';

/** A page of actions, the newest first: those on one endpoint, on one process, or all. */
const listActions: OperationOf<'actions'> = async (context, asked) => {
  const { endpoint, limit = DEFAULT_LIMIT, cursor } = asked;
  const after = readCursor('actions', cursor, z.string());
  const { actions, position } = await context.actions.list(await subjectOf(context, asked), limit, after);
  // A removed endpoint keeps its actions: a name is unknown only if it has none.
  if (endpoint !== undefined && actions.length === 0 && !cursor) await findEndpoint(context, endpoint);
  return { actions: actions.map(actionAnswer), ...cursorTo('actions', position) };
};

/** @throws Refused for an unknown process that has no actions */
async function subjectOf(
  context: OperationsContext,
  { endpoint, process, workspace }: RequestOf<'actions'>,
): Promise<Subject | undefined> {
  if (endpoint !== undefined) return { endpoint };
  if (process === undefined) return undefined;
  const found = await findOrForgotten(context, { process, workspace }, async key => {
    const { actions } = await context.actions.list({ process: key }, 1);
    return actions.length > 0;
  });
  return { process: onlyOne(found) };
}

function actionAnswer({ at, subject, ...action }: Action): AnswerOf<'actions'>['actions'][number] {
  const { who, isProven, operation, details } = action;
  return {
    ...{ at: iso(at), who, isProven, operation },
    ...('endpoint' in subject && subject),
    ...('process' in subject && {
      workspace: subject.process.workspace,
      process: subject.process.processId,
    }),
    ...(details !== undefined && { details }),
  };
}

/** The caller of a request. */
export interface Caller {
  /** On AWS an ARN, elsewhere a user's name. */
  readonly who: string;
  /** Whether `who` was verified. */
  readonly isProven: boolean;
}

/** The operations (design.md §13): one interface for every client, wherever it is implemented. Each change is
 *  written to the action log, with its caller.
 *  @throws Refused for a request that can't be carried out; its message has the reason and the remedy */
export type Operations = <Asked extends Request>(asked: Asked, caller: Caller) => Promise<AnswerTo<Asked>>;

/** The function of each operation. */
const OPERATIONS: { readonly [Name in Operation]: OperationOf<Name> } = {
  status: showStatus,
  events: listEvents,
  trace: traceEvent,
  record: showRecord,
  endpoints: listEndpoints,
  endpoint: showEndpoint,
  attempts: listAttempts,
  'dead-letters': listDeadLetters,
  preview: previewEvent,
  actions: listActions,
  definitions: showDefinitions,
  doctor: examineProcess,
  verify: verifySlice,
  logs: readLogs,
  'failed-messages': listFailedMessages,
  'add-endpoint': addEndpoint,
  'update-endpoint': updateEndpoint,
  'pause-endpoint': pauseEndpoint,
  'resume-endpoint': resumeEndpoint,
  'remove-endpoint': removeEndpoint,
  'rotate-secret': rotateSecret,
  'finish-rotation': finishRotation,
  'test-endpoint': testEndpoint,
  resend,
  'resend-dead': resendDead,
  replay,
  'cancel-replay': cancelReplay,
  snapshot,
  'cancel-snapshot': cancelSnapshot,
  pass: startPass,
  release: releaseProcess,
  forget: forgetProcess,
  reload: reloadConfiguration,
  erase: eraseProject,
  republish,
  'clear-failed-messages': clearFailedMessages,
  'retry-failed-messages': retryFailedMessages,
  take,
  ack,
  nack,
};

/** The operations over these ports. */
export function createOperations(context: OperationsContext): Operations {
  return async <Asked extends Request>(asked: Asked, caller: Caller) => {
    // TypeScript can't infer that function, request and answer belong to one operation.
    const run = OPERATIONS[asked.operation] as (context: OperationsContext, asked: Request) => Promise<never>;
    if (isLook(asked) || isPull(asked)) return run(context, asked);
    const { answer, action }: Acted<AnswerTo<Asked>> = await run(context, asked);
    if (action) await recordAction(context, { operation: asked.operation, ...caller, ...action });
    return answer;
  };
}

/** Answers a request that came over a wire. @throws as `replyOf` */
export function answerRequest(operations: Operations, asked: unknown, caller: Caller): Promise<Reply> {
  return replyOf(() => operations(readRequest(asked), caller));
}

/** The reply over a wire.
 *  @throws unexpected errors, which the caller reports without their text */
export async function replyOf(answer: () => Promise<unknown>): Promise<Reply> {
  try {
    return { answer: (await answer()) as Extract<Reply, { answer: unknown }>['answer'] };
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message, isUsage: error.isUsage };
    throw error;
  }
}

/** Filters, which nest deepest, need some ten. */
const MAX_LEVELS = 64;

/** @throws Refused that names each wrong key and what is allowed. It doesn't quote the request, which may hold
 *  a secret in the wrong place */
export function readRequest(asked: unknown): Request {
  if (isTooDeep(asked as Json, MAX_LEVELS))
    throw wrongRequest(`A request has at most ${MAX_LEVELS} levels of nesting.`);
  const parsed = request.safeParse(asked);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => problemOf(issue, asked));
  throw wrongRequest(problems.join('\n'));
}

function problemOf(issue: z.core.$ZodIssue, asked: unknown): string {
  const typed = (asked as { operation?: unknown } | null)?.operation;
  const allowed = KEYS.get(typed);
  if (issue.code === 'invalid_union' && !allowed) {
    const names = request.options.map(({ shape }) => shape.operation.value);
    return `operation: one of ${names.join(', ')}.${typeof typed === 'string' ? didYouMean(typed, names) : ''}`;
  }
  if (issue.code === 'unrecognized_keys' && allowed) return unknownKeys(issue.keys, `${typed}`, allowed);
  const at = issue.path.join('.');
  const text = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return at === '' ? 'A request is a JSON object with an operation.' : `${at}: ${text}`;
}

function unknownKeys(keys: readonly string[], operation: string, allowed: readonly string[]): string {
  const meant = keys.flatMap(key => nearest(key, allowed) ?? []);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  const what = keys.length === 1 ? 'an unknown key' : `${keys.length} unknown keys`;
  const keysThatAre =
    allowed.length > 0 ? `allowed keys: ${allowed.join(', ')}` : 'no other keys are allowed';
  return `${operation} has ${what}; ${keysThatAre}.${hint}`;
}

/** The keys of each request beside its operation. */
const KEYS: ReadonlyMap<unknown, readonly string[]> = new Map(
  request.options.map(({ shape: { operation, ...keys } }) => [operation.value, Object.keys(keys)]),
);

/** Adds an entry to the action log. A failure is only logged: the operation succeeded, and its answer may have a
 *  secret that is shown only once. */
async function recordAction(
  { actions, clock, log }: OperationsContext,
  done: Omit<Action, 'at'>,
): Promise<void> {
  const action = { at: clock(), ...done };
  await actions.note(action).catch(error => {
    log.error('Could not write to the action log.', {
      code: 'actions.not-saved',
      ...action,
      error: String(error),
    });
  });
}
