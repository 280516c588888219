import fc from 'fast-check';
import { type Boundary, FAULTS, type Strike } from '../faults.ts';
import { type Drawn, seldom, some, weighted } from './draw.ts';

/** The last call of a process's life in which a fault is likely to be met, from 0 on, where that is not the fifth. */
const LATEST: Partial<Record<Boundary, number>> = {
  ...{ 'service.token': 0, 'service.audit log': 1, 'service.definitions': 1, 'service.users': 0 },
  ...{ 'table.read': 6, 'table.update': 6, 'table.transaction': 2, 'topic.publish': 1 },
  ...{ 'queue.rejected': 0, 'queue.receive': 0, 'queue.delete': 0, 'queue.visibility': 1 },
  ...{ 'queue.route': 1, 'queue.wake': 0, 'queue.passes': 0, 'endpoint.post': 2 },
};

/** A fault at one of these boundaries. */
function strikesAt(...boundaries: readonly Boundary[]): fc.Arbitrary<Strike> {
  const cells = boundaries.flatMap(boundary => FAULTS[boundary].map(fault => ({ boundary, fault })));
  return fc.constantFrom(...cells).chain(({ boundary, fault }) =>
    fc.record({
      boundary: fc.constant(boundary),
      fault: fc.constant(fault),
      nth: fc.nat(LATEST[boundary] ?? 4),
      times: fc.constantFrom(1, 1, 2, 12),
    }),
  );
}

export const pollerStrikes = strikesAt(
  ...(['service.token', 'service.projects', 'service.tasks', 'service.audit log'] as const),
  ...(['service.definitions', 'table.read', 'table.update', 'table.transaction'] as const),
);

/** Faults that passes may meet at any time. 403 and 404 are left out: they would mean something about the
 *  service, or a project. */
export const scheduledStrikes = pollerStrikes.filter(({ fault }) => fault !== '403' && fault !== '404');

/** The users are read once a day, by whichever run first needs them: so all runs of a plan meet this, or none. */
export const usersStrike = seldom(1, strikesAt('service.users'));

function runsOf(...boundaries: readonly Boundary[]) {
  return some(some(strikesAt(...boundaries), 0, 2), 3, 20);
}

const DOWN: Strike = { boundary: 'endpoint.post', fault: '500', nth: 0, times: 12 };
export const GONE: Strike = { boundary: 'endpoint.post', fault: '410', nth: 0, times: 1 };

export const publisherRuns = weighted([1, runsOf('topic.publish')], [1, runsOf('queue.rejected')]);
export const delivererRuns = weighted(
  [
    4,
    runsOf(
      ...(['table.read', 'table.update', 'table.transaction', 'queue.receive', 'queue.delete'] as const),
      ...(['queue.visibility', 'queue.wake', 'endpoint.post'] as const),
    ),
  ],
  // Visibility is changed only after a failed post, so each run begins with one.
  [1, runsOf('queue.visibility').map(runs => runs.map(run => [DOWN, ...run]))],
  // Deliveries for an endpoint that wants no more wait in rows.
  [2, runsOf('table.update').map(runs => [[GONE], ...runs])],
);
export const routerRuns = runsOf('table.read', 'queue.route', 'queue.receive', 'queue.delete');
export const tickRuns = runsOf('table.read', 'table.update', 'queue.wake', 'queue.passes');

/** Some of several things that are done at once fail, the same ones each time: from the run `from` on, in so many runs, the part of them (0 to 1)
 *  that the salt decides. */
const partly = {
  from: fc.nat(6),
  runs: fc.constantFrom(1, 1, 2, 4),
  part: fc.constantFrom(0.2, 0.5, 0.8, 1),
  salt: fc.nat(1000),
};

/** Entries of PublishBatch that SNS answers with 200, but doesn't take: now, or ever (SenderFault); `malformed`: it refuses each
 *  batch with one of them. */
const published = fc.record({
  ...partly,
  how: fc.constantFrom('failed', 'failed', 'refused', 'malformed'),
});
export type PartlyPublished = Drawn<typeof published>;

/** Messages of one batch: their posts fail so, and with `visibility` so does it to say when some of them are tried again;
 *  `row`: what becomes of them can't be written into their rows. */
const delivered = fc.record({
  ...partly,
  how: fc.constantFrom('404', '500', '429', 'reset', 'row'),
  visibility: fc.boolean(),
});
export type PartlyDelivered = Drawn<typeof delivered>;

export const partlyFailed = fc.record({ publish: some(published, 0, 3), deliver: some(delivered, 0, 2) });

type Partly = Pick<PartlyPublished, 'from' | 'runs' | 'part' | 'salt'>;

export function isDuring({ from, runs }: Pick<Partly, 'from' | 'runs'>, run: number): boolean {
  return run >= from && run < from + runs;
}

/** Whether the thing of this name is one of those that fail. */
export function isAmong({ part, salt }: Pick<Partly, 'part' | 'salt'>, name: string): boolean {
  return fraction(`${salt}/${name}`) < part;
}

/** A number from 0 to 1, computed from the text (FNV-1a; its bits are mixed once more, because texts with
 *  the same end give similar hashes). */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
