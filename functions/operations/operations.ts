import * as z from 'zod';
import { isTooDeep, type Json } from '../basics/json.ts';
import { nearest } from '../basics/nearest.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { Action, Subject } from '../store/store.ts';
import type { Acted, OperationsContext } from './context.ts';
import { listAttempts, listDeadLetters, resend, resendDead, testEndpoint, traceEvent } from './deliveries.ts';
import {
  addEndpoint,
  finishRotation,
  rotateSecret,
  showEndpoint,
  updateEndpoint,
} from './endpoint-settings.ts';
import { findEndpoint, listEndpoints, pauseEndpoint, removeEndpoint, resumeEndpoint } from './endpoints.ts';
import { listEvents } from './events.ts';
import { cursorOf, DEFAULT_LIMIT, iso, readCursor } from './page.ts';
import {
  examineProcess,
  findKnownProcess,
  forgetProcess,
  onlyOne,
  orForgotten,
  releaseProcess,
  startPass,
} from './processes.ts';
import type { AnswerOf, AnswerTo } from './protocol/answers.ts';
import {
  type Act,
  isLook,
  type Look,
  type Operation,
  type Reply,
  type Request,
  type RequestOf,
  request,
} from './protocol/requests.ts';
import { Refused } from './refused.ts';
import { cancelReplay, replay } from './replay.ts';
import { clearSetAside, readLogs, republish, retrySetAside, showSetAside } from './stack-operations.ts';
import { showStatus } from './status.ts';

/** The caller of a request. */
export interface Caller {
  /** On AWS an ARN, elsewhere a user's name. */
  readonly who: string;
  /** Whether `who` was verified. */
  readonly isProven: boolean;
}

/** The operations (design.md §13): one interface for every client, wherever it is implemented. Each change is
 *  written to the action log, with its caller.
 *  @throws Refused for a request that can't be carried out; its message says why, and the remedy */
export type Operations = <Asked extends Request>(asked: Asked, caller: Caller) => Promise<AnswerTo<Asked>>;

type Run<Name extends Operation, Result> = (
  context: OperationsContext,
  asked: RequestOf<Name>,
) => Promise<Result>;

/** The function of each operation. */
const OPERATIONS: { readonly [Name in Look]: Run<Name, AnswerOf<Name>> } & {
  readonly [Name in Act]: Run<Name, Acted<AnswerOf<Name>>>;
} = {
  status: showStatus,
  events: listEvents,
  trace: traceEvent,
  endpoints: listEndpoints,
  endpoint: showEndpoint,
  attempts: listAttempts,
  'dead-letters': listDeadLetters,
  actions: listActions,
  doctor: examineProcess,
  logs: readLogs,
  'set-aside': showSetAside,
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
  pass: startPass,
  release: releaseProcess,
  forget: forgetProcess,
  republish,
  'clear-set-aside': clearSetAside,
  'retry-set-aside': retrySetAside,
};

/** The operations over these ports. */
export function createOperations(context: OperationsContext): Operations {
  return async <Asked extends Request>(asked: Asked, caller: Caller) => {
    // TypeScript can't tell that function, request and answer belong to one operation.
    const run = OPERATIONS[asked.operation] as (context: OperationsContext, asked: Request) => Promise<never>;
    if (isLook(asked)) return run(context, asked);
    const { answer, action }: Acted<AnswerTo<Asked>> = await run(context, asked);
    const { who, isProven } = caller;
    if (action) await recordAction(context, { ...action, operation: asked.operation, who, isProven });
    return answer;
  };
}

/** Answers a request that came over a wire.
 *  @throws unexpected errors, which the caller reports without their text */
export async function answerRequest(operations: Operations, asked: unknown, caller: Caller): Promise<Reply> {
  try {
    return {
      answer: (await operations(readRequest(asked), caller)) as Extract<Reply, { answer: unknown }>['answer'],
    };
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
    throw new Refused(`A request has at most ${MAX_LEVELS} levels of nesting.`, { isUsage: true });
  const parsed = request.safeParse(asked);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => problemOf(issue, asked));
  throw new Refused(problems.join('\n'), { isUsage: true });
}

function problemOf(issue: z.core.$ZodIssue, asked: unknown): string {
  const operation = operationOf(asked);
  if (issue.code === 'invalid_union' && operation === undefined) return unknownOperation(asked);
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, operation);
  const at = issue.path.join('.');
  return at === '' ? 'A request is a JSON object with an operation.' : `${at}: ${lowerFirst(issue.message)}`;
}

function unknownKeys(keys: readonly string[], operation: Operation | undefined): string {
  const allowed = Object.keys(SHAPES.get(operation ?? '') ?? {}).filter(key => key !== 'operation');
  const meant = keys.flatMap(key => nearest(key, allowed) ?? []);
  const hint = meant.length > 0 ? ` Did you mean ${meant.join(', ')}?` : '';
  const what = keys.length === 1 ? 'a key that is unknown here' : `${keys.length} keys that are unknown here`;
  const keysThatAre = allowed.length > 0 ? `it takes ${allowed.join(', ')}` : 'it takes no other key';
  return `${operation ?? 'The request'} has ${what}: ${keysThatAre}.${hint}`;
}

function unknownOperation(asked: unknown): string {
  const typed = (asked as { operation?: unknown } | null)?.operation;
  const meant = typeof typed === 'string' ? nearest(typed, [...SHAPES.keys()]) : undefined;
  return `operation: one of ${[...SHAPES.keys()].join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`;
}

function operationOf(asked: unknown): Operation | undefined {
  const typed = (asked as { operation?: unknown } | null)?.operation;
  return typeof typed === 'string' && SHAPES.has(typed) ? (typed as Operation) : undefined;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const SHAPES: ReadonlyMap<string, object> = new Map(
  request.options.map(({ shape }) => [shape.operation.value, shape]),
);

/** Adds an entry to the action log. A failure is only logged: the answer must not say that the operation
 *  failed, nor be lost with a secret that is shown only once. */
async function recordAction(
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
async function listActions(
  context: OperationsContext,
  asked: RequestOf<'actions'>,
): Promise<AnswerOf<'actions'>> {
  const { limit = DEFAULT_LIMIT, cursor } = asked;
  const position = readCursor('actions', cursor, z.string());
  const page = await context.actions.list(await subjectOf(context, asked), limit, position);
  // A removed endpoint or process keeps its actions: a name is unknown only if it has none.
  if (page.actions.length === 0 && cursor === undefined) await checkSubject(context, asked);
  return {
    actions: page.actions.map(entryOf),
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

function entryOf({
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
