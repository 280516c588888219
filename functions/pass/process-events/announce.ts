import type { Clock } from '../../basics/clock.ts';
import type { ProcessKey } from '../../basics/process.ts';
import type { ChangeEvent } from '../../model/event.ts';
import type { PassState, ProcessState } from '../../model/process-state.ts';
import type { DebtChange, Snapshots } from '../../store/store.ts';

/** How many conflicts with other passes are tolerated before this one gives up. */
const TRIES = 20;

/** What is to be said about the process itself. */
export interface Say {
  /** The state that is written with the events, so that no pass says the same again. */
  readonly state: Partial<PassState>;
  /** Debts that are written with the events. */
  readonly debts?: readonly DebtChange[];
  /** The digests of the audit entries that are told. */
  readonly entries?: readonly string[];
  /** Makes the events: their ids and `sequence` come from the version of the announcement. */
  readonly events: (version: number) => readonly ChangeEvent[];
  /** A smaller part of it, for when all of it is too large for one commit. After that part, `decide` is asked for the rest. */
  readonly less?: (() => Say | undefined) | undefined;
}

/** What it takes to tell something. */
interface Parts {
  readonly process: ProcessKey;
  readonly snapshots: Pick<Snapshots, 'announce' | 'readState'>;
  readonly clock: Clock;
  readonly onCommitted?: ((ids: readonly string[]) => void) | undefined;
}

/** Who tells, with the state by which is first decided what to tell. */
export interface Announcer {
  readonly parts: Parts;
  readonly state: ProcessState;
}

/** Tells something about the process itself, exactly once: events and state are one commit, on the condition that since the
 *  state was read nobody announced anything and the baseline was not completed. After a conflict the state is read again, and
 *  `decide` is asked what is left to say. For the version see nextVersion.
 *  @returns how many events were told
 *  @throws what `decide` throws; and an error when there are too many conflicts */
export async function announce(
  { parts, state: before }: Announcer,
  decide: (state: ProcessState) => Say | undefined | Promise<Say | undefined>,
): Promise<number> {
  const { process, snapshots } = parts;
  let state = before;
  let told = 0;
  for (let conflicts = 0; conflicts < TRIES; ) {
    const say = await decide(state);
    if (!say) return told;
    const said = await commit(parts, state, say);
    if (said === 'conflict') conflicts += 1;
    else {
      told += said.events;
      if (said.isAll) return told;
    }
    state = await snapshots.readState(process);
  }
  throw new Error(
    `What process ${process.processId} has to say of itself was not committed in ${TRIES} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}

/** Commits as much of it as fits, and returns how much that was. */
async function commit(
  { process, snapshots, clock, onCommitted }: Parts,
  { announced, baselined }: ProcessState,
  whole: Say,
): Promise<'conflict' | { readonly events: number; readonly isAll: boolean }> {
  for (let say: Say | undefined = whole; say; say = say.less?.()) {
    const at = clock();
    const version = nextVersion(announced, at);
    const events = say.events(version);
    const said = { events, version, at };
    const { debts = [], entries = [] } = say;
    const announcement = { announced, isSilent: !baselined, state: say.state, debts, entries, said };
    const result = await snapshots.announce(process, announcement);
    if (result === 'conflict') return result;
    if (result !== 'committed') continue;
    onCommitted?.(events.map(({ id }) => id));
    return { events: events.length, isAll: say === whole };
  }
  throw new Error(
    `What process ${process.processId} has to say of itself is too large to commit: not one of its events fits.`,
  );
}

/** The version of the next commit: the time of the commit by our clock in ms, or one more than the last version, if that is
 *  larger (clocks differ, or several commits fall into one millisecond). So versions only grow, and none is used twice after
 *  the table was restored to an earlier state (docs/decisions/0042). */
export function nextVersion(last: number | undefined, at: number): number {
  return last === undefined ? at : Math.max(last + 1, at);
}
