import fc from 'fast-check';

/** Some of several things that are done at once fail, the others don't; and the same ones fail as long as it lasts. */
export interface Partly {
  /** From the run with this number on … */
  readonly from: number;
  /** … so many runs. */
  readonly runs: number;
  /** Of 1: how many of the things. */
  readonly part: number;
  /** Which ones. */
  readonly salt: number;
}

/** Entries of PublishBatch that SNS answers with 200, but doesn't take: now, or ever (SenderFault). */
export interface PartlyPublished extends Partly {
  readonly how: 'failed' | 'refused';
}

/** Messages of one batch: their posts fail so, and with `visibility` so does it to say when some of them are tried again;
 *  `dead letter`: they can't be put among the dead letters. */
export interface PartlyDelivered extends Partly {
  readonly how: '404' | '500' | '429' | 'reset' | 'dead letter';
  readonly visibility: boolean;
}

export function isDuring({ from, runs }: Partly, run: number): boolean {
  return run >= from && run < from + runs;
}

/** Whether the thing of this name is one of those that fail. */
export function isAmong({ part, salt }: Pick<Partly, 'part' | 'salt'>, name: string): boolean {
  return fraction(`${salt}/${name}`) < part;
}

/** A number from 0 to 1 by the text alone (FNV-1a, its bits mixed once more: of texts that end alike it differs little). */
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

export const partly = fc.record({
  publish: fc.array(
    fc.record({ ...some, how: fc.constantFrom('failed' as const, 'failed' as const, 'refused' as const) }),
    { maxLength: 3, size: 'max' },
  ),
  deliver: fc.array(
    fc.record({
      ...some,
      how: fc.constantFrom(
        '404' as const,
        '500' as const,
        '429' as const,
        'reset' as const,
        'dead letter' as const,
      ),
      visibility: fc.boolean(),
    }),
    { maxLength: 2, size: 'max' },
  ),
});
