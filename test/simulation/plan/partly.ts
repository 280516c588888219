import fc from 'fast-check';

/** Some of several things that are done at once fail, the same ones each time. */
export interface Partly {
  /** From the run with this number on … */
  readonly from: number;
  /** … so many runs. */
  readonly runs: number;
  /** Which share of the things, from 0 to 1. */
  readonly part: number;
  /** Decides which ones. */
  readonly salt: number;
}

const PUBLISHED = ['failed', 'refused', 'malformed'] as const;

/** Entries of PublishBatch that SNS answers with 200, but doesn't take: now, or ever (SenderFault); `malformed`: it refuses each
 *  batch with one of them. */
export interface PartlyPublished extends Partly {
  readonly how: (typeof PUBLISHED)[number];
}

/** Messages of one batch: their posts fail so, and with `visibility` so does it to say when some of them are tried again;
 *  `row`: what becomes of them can't be written into their rows. */
export interface PartlyDelivered extends Partly {
  readonly how: '404' | '500' | '429' | 'reset' | 'row';
  readonly visibility: boolean;
}

export function isDuring({ from, runs }: Partly, run: number): boolean {
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

const some = {
  from: fc.nat(6),
  runs: fc.constantFrom(1, 1, 2, 4),
  part: fc.constantFrom(0.2, 0.5, 0.8, 1),
  salt: fc.nat(1000),
};

/** From the step `from` on, `steps` long, the publisher is switched off: then many records wait for it. */
export interface Backlog {
  readonly from: number;
  readonly steps: number;
  readonly salt: number;
}

export const backlog: fc.Arbitrary<Backlog | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({ from: fc.nat(4), steps: fc.integer({ min: 8, max: 24 }), salt: fc.nat(1000) }),
  },
);

/** Fails few of a backlog's many entries, so that the first failure is not always among the first ten. */
export function ofBacklog(backlog: Backlog | undefined): PartlyPublished[] {
  return backlog ? [{ from: 0, runs: 12, part: 0.06, salt: backlog.salt, how: 'failed' }] : [];
}

export const partly = fc.record({
  publish: fc.array(fc.record({ ...some, how: fc.constantFrom('failed' as const, ...PUBLISHED) }), {
    maxLength: 3,
    size: 'max',
  }),
  deliver: fc.array(
    fc.record({
      ...some,
      how: fc.constantFrom('404' as const, '500' as const, '429' as const, 'reset' as const, 'row' as const),
      visibility: fc.boolean(),
    }),
    { maxLength: 2, size: 'max' },
  ),
});
