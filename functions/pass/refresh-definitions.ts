import { compareDefinitions, definitionsAfter } from '../changes/compare-definitions.ts';
import { fieldEvents } from '../changes/field-events.ts';
import type { Definitions } from '../changes/field-index.ts';
import type { Mode } from '../snapshots/snapshots.ts';
import { announce, type Say } from './announce.ts';
import type { PassParts } from './pass.ts';
import { readDefinitions } from './read-definitions.ts';

/** The definitions that the service has now, and how many events told what is new in them. */
export interface Refreshed {
  readonly definitions: Definitions;
  readonly told: number;
}

/** Reads the definitions, and tells and remembers in one step what is new in them, before any record is told by them.
 *  The state is read before the service, here as after a conflict: so what is told was read later than what was told
 *  before, whoever told it. A baseline only remembers. */
export async function refreshDefinitions(
  parts: Pick<PassParts, 'process' | 'snapshots' | 'state' | 'clock' | 'service' | 'reports' | 'onCommitted'>,
  by: Mode,
): Promise<Refreshed> {
  const { process, service, reports, clock } = parts;
  let { definitions } = parts.state;
  const told = await announce(parts, async state => {
    const compared = compareDefinitions(
      state.definitions,
      await readDefinitions(service, process.processId, reports),
      by,
    );
    const at = clock();
    definitions = compared.definitions;
    if (compared.isSame) return undefined;
    const changes = state.baselined ? compared.changes : [];
    const say = (count: number): Say => {
      const part = changes.slice(0, count);
      return {
        state: { definitions: definitionsAfter(state.definitions, { definitions, changes }, count) },
        events: version => fieldEvents(process, part, { version, at }),
        less: () => (count > 1 ? say(Math.floor(count / 2)) : undefined),
      };
    };
    return say(changes.length);
  });
  return { definitions, told };
}
