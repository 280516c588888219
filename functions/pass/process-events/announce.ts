import type { ChangeEvent } from '../../model/event.ts';
import type { ProcessState } from '../../model/process-state.ts';
import type { Announcement } from '../../store/store.ts';
import type { PassPorts } from '../context/context.ts';

/** How many conflicts with other passes are tolerated before this one gives up. */
const MAX_CONFLICTS = 20;

/** An announcement before it has a version: its state is written with the events, so that no pass announces the same again. */
export interface Draft extends Pick<Announcement, 'state' | 'debts' | 'entries'> {
  /** Makes the events: their ids and `sequence` come from the version of the announcement. */
  readonly events: (version: number) => readonly ChangeEvent[];
  /** A smaller part of it, for when all of it is too large for one commit. After that part, `decide` is asked for the rest. */
  readonly less?: (() => Draft | undefined) | undefined;
}

/** A draft about all these things; while it is too large for one commit, about the first half of them.
 *  @param draft makes a draft about some of them */
export function inHalves<Thing>(
  things: readonly Thing[],
  draft: (some: readonly Thing[]) => Omit<Draft, 'less'>,
): Draft {
  const half = Math.floor(things.length / 2);
  const less = () => (half > 0 ? inHalves(things.slice(0, half), draft) : undefined);
  return { ...draft(things), less };
}

/** Announces something about the process itself, exactly once: events and state are one commit, on the condition that since the
 *  state was read no other pass announced anything and the baseline was not completed. After a conflict the state is read again, and
 *  `decide` is asked what is left to announce. For the version see nextVersion.
 *  @param state the state by which is first decided what to announce
 *  @returns how many events were emitted
 *  @throws what `decide` throws; and an error when there are too many conflicts */
export async function announce(
  ports: PassPorts,
  state: ProcessState,
  decide: (state: ProcessState) => Draft | undefined | Promise<Draft | undefined>,
): Promise<number> {
  const { process, snapshots } = ports;
  let current = state;
  let emitted = 0;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; ) {
    const draft = await decide(current);
    if (!draft) return emitted;
    const result = await commit(ports, current, draft);
    if (result === 'conflict') conflicts += 1;
    else {
      emitted += result.events;
      if (result.isAll) return emitted;
    }
    current = await snapshots.readState(process);
  }
  throw new Error(
    `What process ${process.processId} has to say of itself was not committed in ${MAX_CONFLICTS} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}

/** Commits as much of it as fits, and returns how much that was. */
async function commit(
  { process, snapshots, clock, onCommitted }: PassPorts,
  { announced, baselined }: ProcessState,
  whole: Draft,
): Promise<'conflict' | { readonly events: number; readonly isAll: boolean }> {
  for (let draft: Draft | undefined = whole; draft; draft = draft.less?.()) {
    const at = clock();
    const version = nextVersion(announced, at);
    const events = draft.events(version);
    const said = { events, version, at };
    const { state, debts = [], entries = [] } = draft;
    const announcement = { announced, isSilent: !baselined, state, debts, entries, said };
    const result = await snapshots.announce(process, announcement);
    if (result === 'conflict') return result;
    if (result !== 'committed') continue;
    onCommitted?.(events.map(({ id }) => id));
    return { events: events.length, isAll: draft === whole };
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
