import { joined } from '../../../functions/delivery/health.ts';
import { createRegistry } from '../../../functions/delivery/registry.ts';
import { createDeliver } from '../../../functions/handlers/create-deliver.ts';
import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import { encodePart } from '../../../functions/model/event-id.ts';
import { addEndpoint } from '../../../functions/operations/endpoint-settings.ts';
import { removeEndpoint } from '../../../functions/operations/endpoints.ts';
import { workOffJobs } from '../../../functions/operations/jobs.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { batchOf, messageOf, SECRET, someEvents, waitingOnes } from '../../kit/delivery/setting.ts';
import { type Reply, VirtualAgent } from '../http.ts';
import { idOf } from '../oracle/rows.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGUN, type Job, sourcesOf } from './endpoint-jobs.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';
import { answerOf, callOf, operationsOf } from './operating.ts';

/** How a run serves the endpoint while an operator removes it and adds another one of its name. `drains`: it sends the backlog;
 *  `delivers`: a message of the queue; `queues`: the same, while the endpoint is paused. `… in vain`: the receiver answers 500.
 *  `begins`: it sends the later one its first event in vain, once that one has a row. A job is the earlier one's, which a tick carries
 *  out. */
type Role = 'drains' | 'drains in vain' | 'delivers' | 'delivers in vain' | 'queues' | 'begins' | Job;

const NAME = 'crm';
const HOUR = 3_600_000;
const [OLD, NEW] = ['https://crm.example/old', 'https://crm.example/new'];
const RUN_MS = 180_000;
/** Of the later endpoint alone. */
const PER_SECOND = 2;
const [, IN_QUEUE, OF_NEW] = someEvents(3).map(event => JSON.stringify(event)) as [string, string, string];

/** An endpoint that is removed and added again under its name, while a run has deliveries of it. */
export function replacingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  const runs = ['drains', 'drains in vain', 'delivers', 'delivers in vain', 'queues', 'begins'] as const;
  return [...runs, 'replay', 'snapshot'].map(role => endpointThatIsReplaced(storage, role as Role));
}

export function endpointThatIsReplaced(
  storage: MeetingWorld['storage'],
  role: Role,
  hasFault = storage === 'sqlite',
): MeetingWorld {
  const name = `replaced endpoint: a ${isJob(role) ? role : `run ${role}`}, ${storage}`;
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
      if (isJob(role)) return carryOut(place, reaching, wakes);
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
      const job = isJob(role) && BEGUN[role];
      await deliveries.add(waitingOnes(1, { due: BEGIN - HOUR }));
      const row = { name: NAME, settings, health, addedAt, secretRevision: 1, origin, ...job };
      await rows.change(NAME, () => row);
    },
    checkEnd: async (free, struck) => {
      if (struck.get(replace) === 'dies-before') return;
      // The queue shows its message again.
      if (struck.get(serve) === 'dies-before') await serve.run(free);
      checkLater(place, accepted.has(OF_NEW), texts.get(NAME), {
        mayLack: !isBegun,
        mayCountTwice: role === 'begins' || role === 'drains' || struck.get(replace) === 'repeated',
        mayDrain: struck.has(serve),
        // A tick that died can not remove what it added.
        mayGetMore: isJob(role) && struck.get(serve) === 'dies-before',
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
  may: Readonly<Record<'mayLack' | 'mayCountTwice' | 'mayDrain' | 'mayGetMore', boolean>>,
): void {
  const item = [...place.storage.items()].find(({ pk, sk }) => pk?.S === ENDPOINTS && sk?.S === NAME);
  const { settings, health, ...row } = JSON.parse(item?.row?.S ?? '{"health":{}}') as EndpointRow;
  if (settings?.perSecond !== PER_SECOND || !secret?.includes(NEW))
    throw new Violation(11, 'the later endpoint has no row, or no secret');
  const kept = keptIn(place);
  const foreign = kept.find(sk => !isOfNew(sk));
  if (foreign && !may.mayGetMore) throw new Violation(11, `${foreign} is a row of the later endpoint`);
  const job = row.replay ?? row.replayed ?? row.snapshot ?? row.snapshotted;
  if (job) throw new Violation(11, `the later endpoint has a job of the earlier: ${job.id}`);
  if (!may.mayLack && !isAccepted && !(kept.some(isOfNew) && health.waiting))
    throw new Violation(11, 'the later endpoint lost its event');
  const { failures, draining, paused } = health;
  const isOfBoth = (failures?.count ?? 0) !== (isAccepted ? 0 : 1);
  if (paused || (isOfBoth && !may.mayCountTwice) || (draining && !may.mayDrain))
    throw new Violation(11, `the later endpoint has health of the earlier: ${JSON.stringify(health)}`);
}

/** The sort keys of the endpoint's deliveries and dead letters. */
function keptIn({ storage }: Place): string[] {
  return [...storage.items()].flatMap(({ pk, sk }) =>
    pk?.S === `ENDPOINT#${NAME}` && /^(PENDING|DEAD)#/.test(sk?.S ?? '') ? [String(sk?.S)] : [],
  );
}

function isOfNew(sk: string): boolean {
  return sk.endsWith(`#${encodePart(idOf(OF_NEW))}`);
}

function isJob(role: Role): role is Job {
  return role === 'replay' || role === 'snapshot';
}

/** Adds the first slices of the job. */
async function carryOut({ log }: Place, reaching: Reaching, wakes: string[]): Promise<void> {
  const queues = { wake: async ({ name }: { name: string }) => void wakes.push(name) };
  const more = { ...sourcesOf('T'), queues, log };
  const { rows } = reaching.ports;
  const registered = await createRegistry([], rows, reaching.clock).all();
  const context = operationsOf(reaching, { id: 'T', texts: new Map(), more });
  let left = 2;
  await workOffJobs(context, registered, () => left-- > 0);
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
