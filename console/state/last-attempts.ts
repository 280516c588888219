import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { PICTURED_MS } from '../model/delivery-picture.ts';

type Page = AnswerOf<'attempts'>;
type Attempt = Page['attempts'][number];

export interface LastAttempts {
  /** Newest first. */
  readonly attempts: readonly Attempt[];
  /** When they were read, in ms since 1970. */
  readonly now: number;
  /** Older attempts of the week were not read. */
  readonly isCut: boolean;
}

export const PAGE = 100;
export const MAX_ATTEMPTS = 2_000;
/** An attempt may be saved this much later than one that began after it. */
const LATE_MS = 120_000;

/** Reads the attempts of the last week, at most MAX_ATTEMPTS; those that an earlier reading lacks, if there was one. */
export async function readLastAttempts(
  known: LastAttempts | undefined,
  ask: (place: { readonly cursor?: string }) => Promise<Page>,
  now: number,
): Promise<LastAttempts> {
  const { attempts: before = [], isCut: wasCut = false } = known ?? {};
  const newest = before[0] ? Date.parse(before[0].at) - LATE_MS : 0;
  const end = Math.max(now - PICTURED_MS, newest);
  const found = new Map<string, Attempt>();
  let cursor: string | undefined;
  let isRead = false;
  while (!isRead && found.size < MAX_ATTEMPTS) {
    const page = await ask(cursor === undefined ? {} : { cursor });
    for (const attempt of page.attempts) found.set(keyOf(attempt), attempt);
    cursor = page.cursor;
    isRead = cursor === undefined || Date.parse(page.attempts.at(-1)?.at ?? '') < end;
  }
  // Between the last attempt that was read and the known ones, others may be missing.
  const rest = isRead ? before.filter(attempt => !found.has(keyOf(attempt))) : [];
  const all = [...found.values(), ...rest];
  const isCut = !isRead || all.length > MAX_ATTEMPTS || (wasCut && rest.length > 0);
  return { attempts: all.slice(0, MAX_ATTEMPTS), now, isCut };
}

function keyOf({ at, events }: Attempt): string {
  return `${at} ${events[0]?.id}`;
}
