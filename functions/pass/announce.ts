import type { ChangeEvent } from '../changes/event.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { nextVersion } from './next-version.ts';
import type { PassParts } from './pass.ts';

/** How often another pass may be first before this one gives up for now. */
const TRIES = 20;

/** What is to be said about the process itself. */
export interface Say {
  /** What is true from now on, and keeps it from being said again. */
  readonly state: Partial<ProcessState>;
  /** The events, whose ids and `sequence` rest on the version of the announcement. */
  readonly events: (version: number) => readonly ChangeEvent[];
}

/** Tells about the process itself, exactly once: events and state are one commit, and rest on nobody having announced
 *  anything since the state was read. Who was second reads the state again, and `decide`s by it whether anything is left
 *  to say. The version is our time in ms, or one more than the last where clocks differ. Returns how many events were
 *  told.
 *  @throws what `decide` throws, and when other passes keep being first. */
export async function announce(
  parts: Pick<PassParts, 'process' | 'snapshots' | 'state' | 'clock'>,
  decide: (state: ProcessState) => Say | undefined | Promise<Say | undefined>,
): Promise<number> {
  const { process, snapshots, clock } = parts;
  let { state } = parts;
  for (let tried = 0; tried < TRIES; tried++) {
    const say = await decide(state);
    if (!say) return 0;
    const at = clock();
    const version = nextVersion(state.announced, at);
    const events = say.events(version);
    const said = { events, version, at };
    if (await snapshots.announce(process, { announced: state.announced, state: say.state, said })) {
      return events.length;
    }
    state = await snapshots.readState(process);
  }
  throw new Error(
    `What process ${process.processId} has to say of itself was not committed in ${TRIES} tries: other passes keep ` +
      'being first. The next pass tries again; if this goes on, see which pollers share the table.',
  );
}
