import type { ProcessKey } from '../../../functions/basics/process.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import type { Caller, Operations } from '../../../functions/operations/operations.ts';
import { createOperations } from '../../../functions/operations/operations.ts';
import { type AnswerOf, answers } from '../../../functions/operations/protocol/answers.ts';
import {
  type Operation,
  type Request,
  type RequestOf,
  request,
} from '../../../functions/operations/protocol/requests.ts';
import { openContext, PROCESSES, type Stores } from './context.ts';

/** What the contract of the operations needs from an implementation. Nothing else needs to run there;
 *  what others do meanwhile is ignored. */
export interface Setting {
  /** The operations, as a client sees them. */
  readonly operations: Operations;
  /** Stores, to prepare the data of a test. */
  readonly stores: Pick<Stores, 'endpoints' | 'deliveries' | 'snapshots' | 'roster'>;
  /** Two existing processes, of different workspaces. */
  readonly processes: readonly [ProcessKey, ProcessKey];
  /** The time of the implementation's clock, in ms since 1970. */
  now(): number;
  /** A receiver that answers every POST with 200 and `ok`; `got` returns the bodies. */
  readonly receiver: { readonly url: string; got(): readonly string[] };
  /** The passes that were started. */
  started(): readonly (readonly [processId: string, mode: string])[];
  /** The caller whom the operations record. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/** Sends a request as people do, and checks request and answer against the protocol. */
export type Ask = <Name extends Operation>(
  operation: Name,
  asked?: Omit<RequestOf<Name>, 'operation'>,
) => Promise<AnswerOf<Name>>;

export function askOf({ operations, caller }: Pick<Setting, 'operations' | 'caller'>): Ask {
  return async (operation, asked) => {
    const read = request.parse({ operation, ...asked }) as Request;
    const answer = await operations(read, caller);
    // As JSON, because the protocol goes over a wire, which carries no undefined.
    return answers[operation].parse(JSON.parse(JSON.stringify(answer))) as AnswerOf<typeof operation>;
  };
}

/** Asks the operations over a context, as its operator. */
export function askIn(context: OperationsContext): Ask {
  return askOf({ operations: createOperations(context), caller: { who: 'ann', isProven: true } });
}

/** All pages of an answer, or those up to one that has what is looked for. */
export async function pagesOf<Name extends Paged>(
  ask: Ask,
  operation: Name,
  asked: Omit<RequestOf<Name>, 'operation'>,
  isEnough: (page: AnswerOf<Name>) => boolean = () => false,
): Promise<AnswerOf<Name>[]> {
  const pages: AnswerOf<Name>[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask(operation, { ...asked, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = (page as { cursor?: string | undefined }).cursor;
    if (cursor === undefined || isEnough(page)) return pages;
  }
}
type Paged = 'status' | 'events' | 'endpoints' | 'attempts' | 'dead-letters' | 'actions';

/** The operations over these stores, in the test's own process. */
export async function openSetting(
  open: () => Stores,
): Promise<Setting & { readonly context: ReturnType<typeof openContext> }> {
  const context = openContext(open);
  const operations = createOperations(context);
  return {
    context,
    // Each request comes at a time of its own.
    operations: (asked, caller) => {
      context.state.now += 1;
      return operations(asked, caller);
    },
    stores: context,
    processes: PROCESSES as unknown as Setting['processes'],
    now: context.clock,
    receiver: { url: 'https://receiver.example/hook', got: () => context.posts.map(({ body }) => body) },
    started: () => context.started,
    caller: { who: 'ann', isProven: true },
    close: async () => context.close(),
  };
}
