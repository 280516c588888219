import { joined } from '../../../functions/delivery/health.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import { encodePart } from '../../../functions/model/event-id.ts';
import { addEndpoint } from '../../../functions/operations/endpoint-settings.ts';
import { removeEndpoint } from '../../../functions/operations/endpoints.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { batchOf, messageOf, SECRET, someEvents, waitingOnes } from '../../kit/delivery/setting.ts';
import { type Reply, VirtualAgent } from '../http.ts';
import { idOf } from '../oracle/rows.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';
import { answerOf, callOf, operationsOf } from './operating.ts';

/** How a run serves the endpoint while an operator removes it and adds another one of its name. `drains`: it sends the backlog;
 *  `delivers`: a message of the queue; `queues`: the same, while the endpoint is paused. `… in vain`: the receiver answers 500.
 *  `begins`: it sends the later one its first event in vain, once that one has a row. */
type Role = 'drains' | 'drains in vain' | 'delivers' | 'delivers in vain' | 'queues' | 'begins';

const NAME = 'crm';
const HOUR = 3_600_000;
const [OLD, NEW] = ['https://crm.example/old', 'https://crm.example/new'];
const RUN_MS = 180_000;
/** Of the later endpoint alone. */
const PER_SECOND = 2;
const [, IN_QUEUE, OF_NEW] = someEvents(3).map(event => JSON.stringify(event)) as [string, string, string];

const EVENTS = [...waitingOnes(1).map(({ eventId }) => eventId), idOf(IN_QUEUE), idOf(OF_NEW)];

/** An endpoint that is removed and added again under its name, while a run has deliveries of it. */
export function replacingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  const roles = ['drains', 'drains in vain', 'delivers', 'delivers in vain', 'queues', 'begins'] as const;
  return roles.map(role => endpointThatIsReplaced(storage, role));
}

export function endpointThatIsReplaced(
  storage: MeetingWorld['storage'],
  role: Role,
  hasFault = storage === 'sqlite',
): MeetingWorld {
  const name = `replaced endpoint: a run ${role}, ${storage}`;
  return { name, storage, hasFault, meeting: place => meetingOf(place, role) };
}

/** The later endpoint gets only its own events, has its own health alone, and loses none of its events. */
function meetingOf(place: Place, role: Role): Meeting {
  const texts = new Map<string, string>();
  const accepted = new Set<string>();
  const wakes: string[] = [];
  let isBegun = role !== 'begins';
  /** The later endpoint fails, unless the earlier one does. */
  const receive = (path: string, body: string): Reply => {
    const isNew = path === '/new';
    if (isNew !== (body === OF_NEW))
      place.fail(new Violation(11, `${path} gets what is of another endpoint: ${body.slice(0, 200)}`));
    const isInVain = isNew !== role.endsWith('in vain');
    if (isNew && !isInVain) accepted.add(body);
    return { status: isInVain ? 500 : 200, headers: {}, text: Buffer.from('') };
  };
  const deliver = async (reaching: Reaching, id: string, body?: string): Promise<void> => {
    const isNew = body === OF_NEW;
    const message = messageOf(id, body ?? 'wake', { now: BEGIN, age: isNew ? 0 : 60_000, wake: !body });
    await delivererOf(place, reaching, { texts, receive, wakes })(
      batchOf([message], body ? 'deliveries' : 'drains'),
      { awsRequestId: id, getRemainingTimeInMillis: () => RUN_MS },
    );
  };
  const replace: Party = {
    name: 'replaces',
    run: async reaching => {
      const more = { address: { resolve: async () => [{ address: '93.184.216.34', family: 4 }] } };
      const context = operationsOf(reaching, { id: 'A', texts, more });
      // Refused where the answer was lost: the client repeats it.
      await answerOf(removeEndpoint(context, { operation: 'remove-endpoint', endpoint: NAME }));
      const added = { endpoint: NAME, kind: 'webhook', url: NEW, perSecond: PER_SECOND } as const;
      await addEndpoint(context, { operation: 'add-endpoint', ...added });
      if (role === 'begins') return;
      if (role !== 'drains') return deliver(reaching, 'new', OF_NEW);
      const { deliveries, rows } = reaching.ports;
      const of = { endpoint: NAME, eventId: idOf(OF_NEW), at: BEGIN, body: OF_NEW, attributes: {} };
      await deliveries.add([{ ...of, due: BEGIN }]);
      await rows.change(NAME, row => row && { ...row, health: joined(row.health, BEGIN, true) });
    },
  };
  const serve: Party = {
    name: role,
    run: async reaching => {
      if (role !== 'begins')
        return deliver(reaching, 'old', role.startsWith('drains') ? undefined : IN_QUEUE);
      const row = await reaching.ports.rows.read(NAME);
      if (row?.settings?.perSecond !== PER_SECOND) return;
      isBegun = true;
      return deliver(reaching, 'new', OF_NEW);
    },
  };
  return {
    parties: [replace, serve],
    prepare: async ({ ports: { rows, deliveries } }) => {
      texts.set(NAME, JSON.stringify({ url: OLD, secrets: [SECRET] }));
      const settings = { name: NAME, kind: 'webhook', batch: 2 } as const;
      const waiting = { added: 1, due: BEGIN, first: role === 'queues' };
      const health = { waiting, ...(role === 'queues' && { paused: { at: BEGIN - HOUR } }) };
      const [addedAt, { origin }] = [BEGIN - 24 * HOUR, new URL(OLD)];
      await deliveries.add(waitingOnes(1, { due: BEGIN - HOUR }));
      await rows.change(NAME, () => ({ name: NAME, settings, health, addedAt, secretRevision: 1, origin }));
    },
    checkEnd: async (free, struck) => {
      if (struck.get(replace) === 'dies-before') return;
      // The queue shows its message again.
      if (struck.get(serve) === 'dies-before') await serve.run(free);
      checkLater(place, accepted.has(OF_NEW), texts.get(NAME), {
        mayLack: !isBegun,
        mayCountTwice: role === 'begins' || role === 'drains' || struck.get(replace) === 'repeated',
        mayDrain: struck.has(serve),
      });
    },
    state: () => [...texts, ...accepted, wakes, isBegun],
  };
}

/** @param may it has no event before it begins. A failure whose answer was lost counts twice, one of a row that waits does not; a run that died has the backlog for a while */
function checkLater(
  place: Place,
  isAccepted: boolean,
  secret: string | undefined,
  may: { readonly mayLack: boolean; readonly mayCountTwice: boolean; readonly mayDrain: boolean },
): void {
  const item = [...place.storage.items()].find(({ pk, sk }) => pk?.S === ENDPOINTS && sk?.S === NAME);
  const { settings, health } = JSON.parse(item?.row?.S ?? '{"health":{}}') as EndpointRow;
  if (settings?.perSecond !== PER_SECOND || !secret?.includes(NEW))
    throw new Violation(11, 'the later endpoint has no row, or no secret');
  const kept = keptIn(place);
  const foreign = kept.find(id => id !== idOf(OF_NEW));
  if (foreign) throw new Violation(11, `${foreign} is in a row of the later endpoint`);
  if (!may.mayLack && !isAccepted && (kept.length === 0 || !health.waiting))
    throw new Violation(11, 'the later endpoint lost its event');
  const { failures, draining, paused } = health;
  const isOfBoth = (failures?.count ?? 0) !== (isAccepted ? 0 : 1);
  if (paused || (isOfBoth && !may.mayCountTwice) || (draining && !may.mayDrain))
    throw new Violation(11, `the later endpoint has health of the earlier: ${JSON.stringify(health)}`);
}

/** The events that rows of the endpoint have. */
function keptIn({ storage }: Place): string[] {
  const rows = [...storage.items()].filter(({ pk }) => pk?.S === `ENDPOINT#${NAME}`);
  return EVENTS.filter(id => rows.some(({ sk }) => sk?.S?.endsWith(`#${encodePart(id)}`)));
}

interface Around {
  readonly texts: ReadonlyMap<string, string>;
  readonly receive: (path: string, body: string) => Reply;
  readonly wakes: string[];
}

function delivererOf(place: Place, reaching: Reaching, { texts, receive, wakes }: Around) {
  const { ports, clock, sleep, life } = reaching;
  const { rows, deliveries, slots } = ports;
  return createDeliver({
    ...{ rows, slots, clock, sleep, registry: createRegistry([], rows, clock) },
    // The log of attempts concerns no other party.
    deliveries: { ...deliveries, note: async () => {} },
    log: { ...place.log, error: () => {} },
    queues: { wake: async ({ name }) => void wakes.push(name) },
    secrets: {
      nameOf: name => name,
      putting: () => '',
      read: name => callOf(reaching, 'read secret', () => texts.get(name) ?? ''),
    },
    random: () => 0,
    allowLoopback: false,
    openAgent: () =>
      new VirtualAgent(
        life,
        () => 'endpoint.post',
        ({ path, body }) => receive(path, body),
      ),
    count: () => {},
  });
}
