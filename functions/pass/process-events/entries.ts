import type { JsonObject } from '../../basics/json.ts';
import { auditEvents, type ReadEntry } from '../../changes/audit-events.ts';
import type { Actor } from '../../model/event.ts';
import type { Snapshots } from '../../store/snapshots.ts';
import type { LogEntry } from '../audit-log/placed-entries.ts';
import { type Announcer, announce, type Say } from './announce.ts';
import { type EntryRecords, recordsIn } from './entry-records.ts';

/** How many entries one commit tells: a transaction of the table takes 100 items. */
const MOST = 90;

/** What is needed here of a pass. */
interface Pass extends Announcer {
  readonly parts: Announcer['parts'] & { readonly snapshots: Pick<Snapshots, 'toldEntries' | 'load'> };
  /** To be called wherever time passes. */
  readonly heartbeat: { beat(): Promise<void> };
}

/** Tells of each of these entries which users it names as those who acted. */
interface Actors {
  ofEntries(entries: ReadonlyMap<JsonObject, EntryRecords>): Promise<(entry: JsonObject) => readonly Actor[]>;
}

/** Tells new entries of the audit log, each once: that it was told is remembered in the commit that tells it. To be called before the
 *  audit position moves on, so that what a crash leaves untold is found again.
 *  @param projects the known projects among the names in the entries
 *  @returns how many were told */
export async function tellEntries(
  pass: Pass,
  { untold = [] }: { readonly untold?: readonly LogEntry[] },
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<number> {
  const { parts, heartbeat } = pass;
  const { process, snapshots, clock } = parts;
  const say = (entries: readonly ReadEntry[]): Say => ({
    state: {},
    entries: entries.map(({ id }) => id),
    events: version => auditEvents(process, entries, { version, at: clock() }),
    less: () => (entries.length > 1 ? say(entries.slice(0, Math.floor(entries.length / 2))) : undefined),
  });
  let { state } = pass;
  let told = 0;
  for (let from = 0; from < untold.length; from += MOST) {
    const some = await read(pass, untold.slice(from, from + MOST), projects, actors);
    if (from > 0) state = await snapshots.readState(process);
    told += await announce({ parts, state }, async () => {
      const known = await snapshots.toldEntries(
        process,
        some.map(({ id }) => id),
      );
      const left = some.filter(({ id }) => !known.has(id));
      return left.length > 0 ? say(left) : undefined;
    });
    await heartbeat.beat();
  }
  return told;
}

/** The entries with what is found in them. */
async function read(
  pass: Pass,
  untold: readonly LogEntry[],
  projects: ReadonlySet<string>,
  actors: Actors,
): Promise<ReadEntry[]> {
  const records = await recordsIn(
    pass,
    untold.map(({ entry }) => entry),
    projects,
  );
  const usersIn = await actors.ofEntries(records);
  return untold.map(({ id, entry }) => {
    const { projects: named, tasks } = records.get(entry) as EntryRecords;
    return { id, entry, projects: named, tasks, users: usersIn(entry) };
  });
}
