import { closedTo, joined } from '../delivery/health.ts';
import type { EndpointRow, Replay } from '../model/endpoint-row.ts';
import { isErased } from '../model/erase.ts';
import type { ChangeEvent } from '../model/event.ts';
import { wants } from '../model/filter.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { addDeliveries, deliveryOf } from './deliveries.ts';
import { changeRow, type FoundEndpoint, findEndpoint, wake } from './endpoints.ts';
import { checkTypes } from './events.ts';
import { iso, searchJournal } from './page.ts';
import { findConfigured } from './processes.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

type Asked = Pick<RequestOf<'replay'>, 'to' | 'since' | 'until' | 'types' | 'processes'>;

/** Begins a replay: the endpoint gets the events of a time range again, through its filter; other endpoints do not.
 *  This only writes the request into the endpoint's row; `workOffReplay` carries
 *  it out. A dry run counts the events.
 *  @throws Refused while another replay to this endpoint is under way */
export const replay: OperationOf<'replay'> = async (context, { dryRun = false, ...asked }) => {
  const { to, types, processes } = asked;
  checkTypes(types);
  for (const process of processes ?? []) await findConfigured(context, { process });
  const { found, replay } = dryRun ? await plan(context, asked) : await startReplay(context, asked);
  const answer = { endpoint: to, since: iso(replay.since), until: iso(replay.until) };
  if (dryRun) return { answer: { ...answer, events: await countEvents(context, found, replay), dryRun } };
  return acted({ endpoint: to }, { ...answer, dryRun }, [
    `since ${answer.since}`,
    `until ${answer.until}`,
    ...(types ? [`types ${types.join(' ')}`] : []),
    ...(processes ? [`processes ${processes.join(' ')}`] : []),
  ]);
};

/** Counts the events that the endpoint would get, as far as an answer has time for. */
async function countEvents(context: OperationsContext, found: FoundEndpoint, replay: Replay) {
  const { since, until, processes } = replay;
  const all = processes && (await context.processes());
  const search = {
    ...{ order: 'oldest-first' as const, since, until },
    processes: all?.filter(({ processId }) => processes?.includes(processId)),
  };
  let atLeast = 0;
  const isExact = await searchJournal(context, search, record => {
    atLeast += record.events().filter(event => isWanted(event, replay, found)).length;
    return false;
  });
  return { atLeast, isExact };
}

interface Planned {
  readonly found: FoundEndpoint;
  readonly replay: Replay;
}

type PlanPorts = Pick<OperationsContext, 'configured' | 'endpoints' | 'clock' | 'newId' | 'keep'>;

/** Writes the request for a replay into the endpoint's row.
 *  @throws Refused when it could not begin, or another one is under way */
export async function startReplay(context: PlanPorts, asked: Asked): Promise<Planned> {
  const planned = await plan(context, asked);
  const { found, replay } = planned;
  const changed = await changeRow(context, found, ({ replayed: _, ...row }) =>
    row.replay ? undefined : { ...row, replay },
  );
  if (changed.replay?.id !== replay.id) throw underWay();
  return planned;
}

async function plan(context: PlanPorts, { to, types, processes, ...asked }: Asked): Promise<Planned> {
  const now = context.clock();
  const first = now - context.keep.journal;
  const since = Math.max(first, Date.parse(asked.since));
  const until = asked.until === undefined ? now : Math.min(Date.parse(asked.until), now);
  if (until <= first)
    throw new Refused(
      `Invalid time range: the journal begins at ${iso(first)}, by the setting "keep". Choose a later end.`,
    );
  if (!(since < until)) throw new Refused('Invalid time range: since must be before until, and in the past.');
  const found = await findEndpoint(context, to);
  if (found.row?.replay) throw underWay();
  const only = { ...(types && { types }), ...(processes && { processes }) };
  return { found, replay: { id: context.newId(), since, until, ...only, added: 0, startedAt: now } };
}

function underWay(): Refused {
  return new Refused('A replay to this endpoint is in progress: wait for it to finish, or cancel it.');
}

/** Ends a replay: no more deliveries are added; those that were added are sent. */
export const cancelReplay: OperationOf<'cancel-replay'> = async (context, { to }) => {
  const found = await findEndpoint(context, to);
  let cancelled: Replay | undefined;
  await changeRow(context, found, ({ replay, ...row }) => {
    cancelled = replay;
    return cancelled && row;
  });
  const added = cancelled?.added ?? 0;
  const answer = { endpoint: to, wasUnderWay: cancelled !== undefined, added };
  return cancelled ? acted({ endpoint: to }, answer, [`${added} deliveries had been added`]) : { answer };
};

/** The ports that carrying out a replay needs. */
type ReplayPorts = Pick<
  OperationsContext,
  'configured' | 'endpoints' | 'deliveries' | 'queues' | 'clock' | 'log'
> & { readonly journal: Pick<OperationsContext['journal'], 'read'> };

/** How many change records are read at once. */
const SLICE = 50;

/** Adds the next events of an endpoint's replay to its deliveries. After a crash, some are added again, under
 *  the same ids.
 *  @returns false when there is nothing left to do */
export async function workOffReplay(ports: ReplayPorts, name: string): Promise<boolean> {
  const { clock } = ports;
  const found = await findEndpoint(ports, name);
  const replay = found.row?.replay;
  if (!replay) return false;
  const { entries, position } = await ports.journal.read(replay, SLICE);
  const wanted = entries.filter(({ event }) => isWanted(event, replay, found));
  const now = clock();
  const added = wanted.map(({ event }) => deliveryOf(name, event, now));
  const done = { ...replay, added: replay.added + wanted.length };
  const next = position === undefined ? { replayed: done } : { replay: { ...done, position } };
  const change = (row: EndpointRow): EndpointRow => {
    const health = wanted.length > 0 ? joined(row.health, now, false) : row.health;
    // False when the replay was cancelled, or another run worked off this slice. The deliveries that were
    // added are sent even then.
    const isOurs = row.replay?.id === replay.id && row.replay.position === replay.position;
    if (!isOurs) return { ...row, health };
    const { replay: _, ...rest } = row;
    return { ...rest, ...next, health };
  };
  const row = await addDeliveries(ports, found, { added, change });
  if (wanted.length > 0 && !closedTo(row.health, now)) await wake(ports, found);
  return row.replay !== undefined;
}

function isWanted(event: ChangeEvent, { types, processes }: Replay, { endpoint }: FoundEndpoint): boolean {
  return (
    !isErased(event) &&
    (types?.includes(event.type) ?? true) &&
    (processes?.includes(event.data.process.id) ?? true) &&
    wants(endpoint.filter ?? {}, event)
  );
}
