import type { ProcessKey } from '../../../functions/basics/process.ts';
import { createOperations } from '../../../functions/operations/create-operations.ts';
import type { Caller, Operations } from '../../../functions/operations/operations.ts';
import { type AnswerOf, answers } from '../../../functions/operations/protocol/answers.ts';
import {
  type Operation,
  type Request,
  type RequestOf,
  request,
} from '../../../functions/operations/protocol/requests.ts';
import { openHouse, PROCESSES, type Stores } from './house.ts';

/** What the contract of the operations needs of a place that answers them. Nobody else need be at work there; what others do there in the
 *  meantime is not looked at. */
export interface Setting {
  /** As who asks sees them. */
  readonly operations: Operations;
  /** To arrange what they find. */
  readonly stores: Pick<Stores, 'rows' | 'deliveries' | 'snapshots' | 'roster'>;
  /** Two that there are, of different workspaces. */
  readonly processes: readonly [ProcessKey, ProcessKey];
  /** In ms since 1970, by the clock of who answers. */
  now(): number;
  /** Where something answers every POST with 200 and `ok`; what it got. */
  readonly receiver: { readonly url: string; got(): readonly string[] };
  /** The passes that were started. */
  started(): readonly (readonly [processId: string, mode: string])[];
  /** Whom the operations write down as the caller. */
  readonly caller: Caller;
  close(): Promise<void>;
}

/** Asks as people do: what is asked and what is answered is as the protocol says. */
export type Ask = <Name extends Operation>(
  operation: Name,
  asked?: Omit<RequestOf<Name>, 'operation'>,
) => Promise<AnswerOf<Name>>;

export function askOf({ operations, caller }: Pick<Setting, 'operations' | 'caller'>): Ask {
  return async (operation, asked) => {
    const read = request.parse({ operation, ...asked }) as Request;
    const answer = await operations(read, caller);
    // As it comes over a wire, which carries no undefined.
    return answers[operation].parse(JSON.parse(JSON.stringify(answer))) as AnswerOf<typeof operation>;
  };
}

/** The operations over these stores, in one program. */
export async function openSetting(
  open: () => Stores,
): Promise<Setting & { readonly house: ReturnType<typeof openHouse> }> {
  const house = openHouse(open);
  const operations = createOperations(house);
  return {
    house,
    // Each asks at a time of its own, as people do.
    operations: (asked, caller) => {
      house.state.now += 1;
      return operations(asked, caller);
    },
    stores: house,
    processes: PROCESSES as unknown as Setting['processes'],
    now: house.clock,
    receiver: { url: 'https://receiver.example/hook', got: () => house.posts.map(({ body }) => body) },
    started: () => house.started,
    caller: { who: 'ann', isProven: true },
    close: async () => house.close(),
  };
}
