import type { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import type { Sleep } from '../../../functions/basics/clock.ts';
import { createPublish } from '../../../functions/handlers/create-publish.ts';
import { QUEUE_SCHEMA, SqliteQueue } from '../../../functions/queue/sqlite.ts';
import { encode } from '../../../functions/store/codec.ts';
import { changeKey } from '../../../functions/store/keys.ts';
import { openDatabase } from '../../../functions/store/sqlite/database.ts';
import { PUBLISHER, sqliteJournal } from '../../../functions/store/sqlite/journal.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../../functions/store/sqlite/schema.ts';
import { sqliteDeliveries } from '../../../functions/store/sqlite/store.ts';
import { Feed, streamRecord } from '../../../local/loops/feed.ts';
import { Topic } from '../../../local/loops/topic.ts';
import { someEvents } from '../../kit/delivery/setting.ts';
import { type Failing, failingWith } from '../life.ts';
import { StreamSource } from '../models/event-source.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';

/** `run`: the stream's function is started, and once more after it has ended. `short run`: its time is up after the first request.
 *  `feed`: a process of one machine publishes until nothing is left. `commits`: a pass commits the last record. */
type Role = 'run' | 'short run' | 'feed' | 'commits';

const PROCESS = { workspace: 'eu', processId: 'on boarding' };
const EVENTS = 6;
/** Of one project. Three of them take two requests, of which each has events of two. */
const RECORDS = [1, 2, 3, 4].map(version => {
  const events = someEvents(EVENTS, BEGIN + version);
  const key = changeKey(PROCESS, BEGIN, 'p.1', BEGIN + version, 0);
  return { events, position: version, process: key.pk.S, key: key.sk.S, encoded: encode(events) };
});
const BATCH = 3;
/** How often a feed reads the journal before it ends, at most. */
const MAX_ROUNDS = 20;
const ORDER = RECORDS.flatMap(({ events }) => events.map(({ id }) => id));

/** Publishers that are started for the same change records. */
export function publishingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  const all: readonly (readonly Role[])[] =
    storage === 'sqlite'
      ? [
          ['feed', 'feed'],
          ['feed', 'feed', 'commits'],
        ]
      : [
          ['run', 'run'],
          ['run', 'short run'],
        ];
  return all.map(roles => publishersThatMeet(storage, roles));
}

export function publishersThatMeet(storage: MeetingWorld['storage'], roles: readonly Role[]): MeetingWorld {
  const name = `publishers of one stream: ${roles.join(' and ')}, ${storage}`;
  const meeting = (place: Place) => (storage === 'sqlite' ? feedsThatMeet : runsThatMeet)(place, roles);
  return { name, storage, hasFault: !roles.includes('commits'), meeting };
}

/** Lambda starts the function for the records after the last ones that were published, also while another run of it goes on. */
function runsThatMeet(place: Place, roles: readonly Role[]): Meeting {
  const published = new Map<string, string>();
  let handler: ReturnType<typeof createPublish>;
  let remaining: () => number;
  let latest = '';
  const source = new StreamSource({
    records: RECORDS.map(({ encoded, ...record }) => streamRecord({ ...record, at: BEGIN, events: encoded })),
    batchSize: BATCH,
    handler: event => handler(event, { getRemainingTimeInMillis: remaining }),
  });
  const run = async ({ life, sleep }: Reaching, role: Role, name: string) => {
    let requests = 0;
    const failing = new Set<string | undefined>();
    const send = ({ input }: PublishBatchCommand) => {
      const entries = (input.PublishBatchRequestEntries ?? []).map(({ Id, Message = '' }) => {
        const { id } = JSON.parse(Message) as { id: string };
        return { Id, id, Message };
      });
      requests += 1;
      checkTurn(entries, published);
      const isTaken = ({ id }: { readonly id: string }) => !failing.has(id);
      for (const { id, Message } of entries.filter(isTaken)) published.set(id, Message);
      const failed = entries.filter(entry => !isTaken(entry));
      const Failed = failed.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }));
      return { Successful: entries.filter(isTaken).map(({ Id }) => ({ Id })), Failed };
    };
    const publish = createPublish({
      sns: {
        send: (command: PublishBatchCommand) =>
          life.call(
            'topic.publish',
            () => judged(place, () => send(command)),
            (work, fault) => {
              if (fault !== 'some-fail') return throttled(work, fault);
              // These fail in all tries of this run.
              const ids = (command.input.PublishBatchRequestEntries ?? []).map(
                ({ Message = '' }) => (JSON.parse(Message) as { id: string }).id,
              );
              failing.add(ids[0]).add(ids.at(-1));
              return work();
            },
          ),
      } as unknown as SNSClient,
      ...{ topicArn: 'topic', sleep, random: () => 0 },
      reject: async ({ reason }) => place.fail(new Violation(1, `an event is rejected: ${reason}`)),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
    const start = () => {
      [handler, requests, latest] = [publish, 0, name];
      remaining = () => (role === 'short run' && requests > 0 ? 0 : Number.POSITIVE_INFINITY);
      failing.clear();
      return [source.run()];
    };
    const begun = await life.call('table.read', start, work => work(), 'the stream starts a run');
    await begun[0];
  };
  return {
    parties: roles.map((role, index): Party => {
      const name = `${role} ${index}`;
      const twice = async (reaching: Reaching) => {
        await run(reaching, role, name);
        await run(reaching, role, name);
      };
      return { name, run: twice };
    }),
    check: () => checkMark(RECORDS.slice(0, source.position), id => published.has(id)),
    checkEnd: async free => {
      for (let runs = 0; source.pending > 0 && runs < RECORDS.length; runs += 1)
        await run(free, 'run', 'last');
      if (source.pending > 0 || published.size !== ORDER.length)
        throw new Violation(1, `${published.size} of ${ORDER.length} events are published`);
    },
    state: () => [source.position, latest, ORDER.filter(id => published.has(id))],
  };
}

/** An event is sent after all earlier ones were taken, or with them; and always with the same content. */
function checkTurn(
  entries: readonly { readonly id: string; readonly Message: string }[],
  published: ReadonlyMap<string, string>,
): void {
  const sent = new Set(entries.map(({ id }) => id));
  for (const { id, Message } of entries) {
    const earlier = ORDER.slice(0, ORDER.indexOf(id)).find(each => !published.has(each) && !sent.has(each));
    if (earlier) throw new Violation(4, `${id} is sent before ${earlier}`);
    if ((published.get(id) ?? Message) !== Message || !ORDER.includes(id))
      throw new Violation(3, `${id} is sent with another content`);
  }
}

/** Processes of one machine publish from one file. */
function feedsThatMeet(place: Place, roles: readonly Role[]): Meeting {
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA, QUEUE_SCHEMA]);
  const { file } = database;
  const clock = () => BEGIN;
  const commit = ({ position, process, key, encoded }: (typeof RECORDS)[number]) =>
    file.prepare('INSERT INTO change VALUES (?, ?, ?, ?, ?)').run(position, process, key, BEGIN, encoded);
  const last = RECORDS.length - 1;
  for (const record of RECORDS.slice(0, last)) commit(record);
  const publish = async ({ life, sleep }: Reaching) => {
    const gated =
      <Given extends unknown[], Result>(
        work: (...given: Given) => Promise<Result>,
        name: string,
        failing: Failing<Promise<Result>> = throttled,
      ) =>
      async (...given: Given): Promise<Result> =>
        life.call<Promise<Result>>('topic.publish', () => work(...given), failing, name);
    const deliveries = sqliteDeliveries(database);
    const queue = new SqliteQueue(file, 'events', { visibility: 120, clock });
    const topic = new Topic({
      queue: { send: gated(messages => queue.send(messages), 'write into the queue', unsent) },
      deliveries: { add: gated(rows => deliveries.add(rows), 'write rows') },
      clock,
    });
    topic.subscribe('log', { accepts: () => true, wake: () => {} });
    const handler = createPublish({
      sns: topic as unknown as SNSClient,
      ...{ topicArn: topic.arn, sleep, random: () => 0 },
      reject: async ({ reason }) => Promise.reject(new Error(reason)),
      log: { info: () => {}, warn: () => {}, error: () => {} },
    });
    const answered = gated(async (answer: Awaited<ReturnType<typeof handler>>) => answer, 'move the mark');
    let rounds = 0;
    const next: Sleep = async () => {
      rounds += 1;
      if (rounds < MAX_ROUNDS) return;
      place.fail(new Violation(1, 'a feed never ends'));
      await new Promise(() => {});
    };
    const committed = rows('SELECT 1 FROM change').length;
    const feed = new Feed({
      ...{ journal: sqliteJournal(database), sleep: next, onNotice: () => {} },
      publish: async (...given) => {
        await next(0);
        return answered(await handler(...given));
      },
    });
    await feed.drained();
    if (mark() < committed) place.fail(new Violation(1, `a feed ends at ${mark()} of ${committed} records`));
    await feed.stop();
  };
  const rows = (sql: string) => file.prepare(sql).all() as Record<string, string>[];
  const received = () =>
    [
      "SELECT json_extract(body, '$.id') AS id FROM message WHERE queue = 'events' ORDER BY seq",
      'SELECT event_id AS id FROM pending ORDER BY seq',
    ].map(sql => rows(sql).map(({ id = '' }) => id));
  const mark = () => sqliteJournal(database).positionOf(PUBLISHER);
  return {
    parties: roles.map((role): Party => {
      const commits = ({ life }: Reaching) =>
        life.call(
          'table.read',
          () => void commit(RECORDS[last] as (typeof RECORDS)[number]),
          throttled,
          role,
        );
      return { name: role, run: role === 'commits' ? commits : publish };
    }),
    check: () => {
      for (const ids of received()) {
        checkMark(RECORDS.slice(0, mark()), id => ids.includes(id));
        const first = [...new Set(ids)];
        if (first.some((id, index) => id !== ORDER[index]))
          throw new Violation(4, `${first.join(', ')} are not in the order of their commits`);
      }
    },
    checkEnd: async free => {
      await publish(free);
      const [queued] = received();
      const isWhole =
        rows('SELECT 1 FROM change').length === mark() && new Set(queued).size === mark() * EVENTS;
      if (!isWhole) throw new Violation(1, `the last feed ends at ${mark()} of ${RECORDS.length} records`);
    },
    state: () => [mark(), rows('SELECT position FROM change').length, received()],
  };
}

/** No record counts as published that has an unpublished event. */
function checkMark(records: readonly (typeof RECORDS)[number][], isPublished: (id: string) => boolean): void {
  const lost = records.flatMap(({ events }) => events).find(({ id }) => !isPublished(id));
  if (lost) throw new Violation(1, `${lost.id} counts as published`);
}

/** Thrown to the publisher, a violation would be an answer of SNS. */
function judged<Result>(place: Place, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    place.fail(error);
    throw error;
  }
}

/** As the queue answers when the disk is full. */
const unsent = async () => ({ indexes: [0], reason: 'disk I/O error' });
const throttled = failingWith(() => Object.assign(new Error('Throttled'), { name: 'RequestThrottled' }));
