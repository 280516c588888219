import * as deliveries from './act-on-deliveries.ts';
import * as endpoints from './act-on-endpoints.ts';
import * as processes from './act-on-processes.ts';
import * as stack from './act-on-stack.ts';
import { actionsPage } from './actions-page.ts';
import { attemptsPage } from './attempts.ts';
import { deadLettersPage } from './dead-letters.ts';
import type { Done } from './done.ts';
import { endpointsPage, statusOfEndpoint } from './endpoint-status.ts';
import { eventsPage } from './events.ts';
import { findProcess } from './find-process.ts';
import type { Caller, Operations } from './operations.ts';
import type { OperationsHouse } from './operations-house.ts';
import type { AnswerOf, AnswerTo } from './protocol/answers.ts';
import type { Act, Look, Request, RequestOf } from './protocol/requests.ts';
import { rotationOf } from './secrets.ts';
import { statusPage } from './status.ts';
import { traceEvent } from './trace.ts';

const LOOKS: { readonly [Name in Look]: Answering<Name, AnswerOf<Name>> } = {
  status: statusPage,
  events: eventsPage,
  trace: traceEvent,
  endpoints: endpointsPage,
  endpoint: async ({ endpoint }, house) => ({
    ...(await statusOfEndpoint(endpoint, house)),
    ...(await rotationOf(endpoint, house)),
  }),
  attempts: attemptsPage,
  'dead-letters': deadLettersPage,
  actions: actionsPage,
  doctor: async (asked, house) => house.doctor(await findProcess(asked, house)),
  logs: stack.logs,
  'set-aside': stack.setAside,
};

const ACTS: { readonly [Name in Act]: Answering<Name, Done<AnswerOf<Name>>> } = {
  'add-endpoint': endpoints.add,
  'update-endpoint': endpoints.update,
  'pause-endpoint': endpoints.pause,
  'resume-endpoint': endpoints.resume,
  'remove-endpoint': endpoints.remove,
  'rotate-secret': endpoints.rotate,
  'finish-rotation': endpoints.finish,
  'test-endpoint': endpoints.test,
  resend: deliveries.resend,
  'resend-dead': deliveries.resendDead,
  replay: deliveries.replay,
  'cancel-replay': deliveries.cancel,
  pass: processes.startPass,
  release: processes.release,
  forget: processes.forget,
  republish: stack.republish,
  'clear-set-aside': stack.clear,
  'retry-set-aside': stack.retry,
};

type Answering<Name extends Look | Act, Result> = (
  asked: RequestOf<Name>,
  house: OperationsHouse,
) => Promise<Result>;

/** An operation, whatever request it takes. */
type Any<Result> = (asked: never, house: OperationsHouse) => Promise<Result>;

/** The operations over these ports. */
export function createOperations(house: OperationsHouse): Operations {
  return async <Asked extends Request>(asked: Asked, caller: Caller) =>
    // TypeScript can't tell that the answer belongs to the request's operation.
    (await answer(asked, caller, house)) as AnswerTo<Asked>;
}

async function answer(asked: Request, caller: Caller, house: OperationsHouse): Promise<unknown> {
  const look: Any<unknown> | undefined = LOOKS[asked.operation as Look];
  if (look) return look(asked as never, house);
  const act: Any<Done<unknown>> = ACTS[asked.operation as Act];
  const { answer, action } = await act(asked as never, house);
  if (action) await note({ ...action, operation: asked.operation }, caller, house);
  return answer;
}

/** Writes down what was done. A failure is only logged: the answer must not say that the operation failed,
 *  nor be lost with a secret that is shown only once. */
async function note(
  done: NonNullable<Done<unknown>['action']> & { readonly operation: string },
  { who, isProven }: Caller,
  { actions, clock, log }: OperationsHouse,
): Promise<void> {
  const action = { at: clock(), who, isProven, ...done };
  try {
    await actions.note(action);
  } catch (error) {
    log.error('What somebody did could not be written down.', { ...action, error: String(error) });
  }
}
