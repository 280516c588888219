import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { type Backlog, withSample } from '../model/backlog.ts';
import { messageOf, NotAllowed } from './api.ts';
import type { Session } from './session.ts';
import { createStore, type Store } from './store.ts';

type Status = Omit<AnswerOf<'status'>, 'cursor'>;

export interface StatusState {
  readonly status: Status | undefined;
  readonly trouble: string | undefined;
  /** The backlog of each endpoint since the page was opened. */
  readonly backlogs: ReadonlyMap<string, Backlog>;
}

const EVERY_MS = 2_000;
/** For a stack, whose status takes a function call over the network. */
const OF_STACK_MS = 5_000;

/** Polls the status until `signal` aborts. */
export function startStatus(
  session: Session,
  signal: AbortSignal,
): { readonly store: Store<StatusState>; refresh(): void } {
  const store = createStore<StatusState>({ status: undefined, trouble: undefined, backlogs: new Map() });
  const setTrouble = (trouble: string | undefined) => {
    if (store.get().trouble !== trouble) store.set({ ...store.get(), trouble });
  };
  const read = async () => {
    const status = await whole(session, signal);
    const at = Date.now();
    const backlogs = new Map(
      status.endpoints.map(({ name, waiting }) => [
        name,
        withSample(store.get().backlogs.get(name) ?? [], { at, waiting: waiting.atLeast }),
      ]),
    );
    store.set({ status, trouble: undefined, backlogs });
  };
  const run = async () => {
    while (!signal.aborted) {
      await session.persist(read, signal, setTrouble);
      const isRun = store.get().status?.deployment === 'run';
      await session.pause(isRun ? EVERY_MS : OF_STACK_MS, signal);
    }
  };
  run().catch((error: unknown) => {
    if (!signal.aborted && !(error instanceof NotAllowed)) setTrouble(messageOf(error));
  });
  return { store, refresh: session.retryNow };
}

async function whole({ ask }: Session, signal: AbortSignal): Promise<Status> {
  const { cursor: first, ...status } = await ask({ operation: 'status' }, signal);
  const processes = [...status.processes];
  const endpoints = [...status.endpoints];
  for (let cursor = first; cursor !== undefined; ) {
    const page = await ask({ operation: 'status', cursor }, signal);
    processes.push(...page.processes);
    endpoints.push(...page.endpoints);
    cursor = page.cursor;
  }
  return { ...status, processes, endpoints };
}
