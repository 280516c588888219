import { closedTo, joined } from '../delivery/health.ts';
import { wants } from '../model/filter.ts';
import type { Replay } from '../store/endpoint-rows.ts';
import type { JournalEntry, JournalReader } from '../store/journal.ts';
import { changeRow, type Found, findEndpoint, type House, wake } from './house.ts';
import { Refused } from './refused.ts';
import { deliveryOf } from './resend.ts';

/** A replay that somebody asks for. Times in ms since 1970. */
export interface AskedReplay {
  readonly endpoint: string;
  readonly since: number;
  /** Now by default. */
  readonly until?: number | undefined;
  readonly types?: readonly string[] | undefined;
  readonly processes?: readonly string[] | undefined;
}

export interface ReplayHouse extends House {
  readonly journal: Pick<JournalReader, 'read'>;
}

/** Begins a replay: the endpoint gets the events of a stretch of the journal once more, through its filter;
 *  other endpoints get nothing. This only writes the request into the endpoint's row; `workOffReplay` carries
 *  it out. `newId` makes a unique name.
 *  @throws Refused while another replay to this endpoint is under way */
export async function startReplay(
  asked: AskedReplay,
  house: House & { readonly newId: () => string },
): Promise<Replay> {
  const { types, processes } = asked;
  const { found, since, until, now: startedAt } = await checkReplay(asked, house);
  const only = { ...(types && { types }), ...(processes && { processes }) };
  const replay = { id: house.newId(), since, until, ...only, added: 0, startedAt };
  const { replay: stands } = await changeRow(found, house, ({ replayed: _, ...row }) =>
    row.replay ? undefined : { ...row, replay },
  );
  if (stands?.id !== replay.id) throw underWay();
  return replay;
}

/** Checks a replay. @returns its end and its endpoint
 *  @throws Refused when the replay could not begin */
export async function checkReplay(
  { endpoint, since, until = Number.POSITIVE_INFINITY }: AskedReplay,
  house: House,
): Promise<{ found: Found; since: number; until: number; now: number }> {
  const now = house.clock();
  const end = Math.min(until, now);
  if (!Number.isFinite(since) || !(since < end))
    throw new Refused(
      'A replay is of a time in the past: its beginning must be before its end, and before now.',
    );
  const found = await findEndpoint(endpoint, house);
  if (found.row?.replay) throw underWay();
  return { found, since, until: end, now };
}

function underWay(): Refused {
  return new Refused('A replay to this endpoint is under way: wait for its end, or cancel it.');
}

/** Ends a replay: nothing more is added; what was added is sent. @returns the replay that was under way */
export async function cancelReplay(name: string, house: House): Promise<Replay | undefined> {
  const found = await findEndpoint(name, house);
  let cancelled: Replay | undefined;
  await changeRow(found, house, ({ replay, ...row }) => {
    cancelled = replay;
    return cancelled && row;
  });
  return cancelled;
}

/** How many change records are read at once. */
const SLICE = 50;

/** Adds the next events of an endpoint's replay to its deliveries. After a crash, some are added again, under
 *  the same ids.
 *  @returns false when there is nothing left to do */
export async function workOffReplay(name: string, house: ReplayHouse): Promise<boolean> {
  const found = await findEndpoint(name, house);
  const replay = found.row?.replay;
  if (!replay) return false;
  const { entries, position } = await house.journal.read(replay, SLICE);
  const wanted = entries.filter(entry => isWanted(entry, replay, found));
  const now = house.clock();
  await house.deliveries.add(wanted.map(({ event }) => deliveryOf(name, event, now)));
  const row = await changeRow(found, house, row => {
    // False when the replay was cancelled, or another run worked off this slice. What was added is sent even
    // then.
    const isOurs = row.replay?.id === replay.id && row.replay.position === replay.position;
    const { replay: _, ...rest } = row;
    const added = replay.added + wanted.length;
    const next =
      position === undefined
        ? { replayed: { ...replay, added } }
        : { replay: { ...replay, position, added } };
    const health = wanted.length > 0 ? joined(row.health, now, false) : row.health;
    return { ...(isOurs ? { ...rest, ...next } : row), health };
  });
  if (wanted.length > 0 && !closedTo(row.health, now)) await wake(found, house);
  return row.replay !== undefined;
}

function isWanted({ event }: JournalEntry, { types, processes }: Replay, { endpoint }: Found): boolean {
  return (
    (types?.includes(event.type) ?? true) &&
    (processes?.includes(event.data.process.id) ?? true) &&
    wants(endpoint.filter ?? {}, event)
  );
}
