import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { Page } from '../../service/service.ts';
import type { PassContext } from '../context/context.ts';
import type { FreshEntries } from './fresh-entries.ts';
import { WalkedPages } from './walked-pages.ts';

/** Who sees the pages of a reading, too. */
export interface Onlooker {
  /** Called before each walk: a reading may walk from both ends of the log. */
  begin(): void;
  see(page: Page<JsonObject>): Promise<void>;
}

/** How a reading is made whose entries are told. */
export interface WalkOptions {
  readonly onlooker?: Onlooker | undefined;
  /** Collects the new entries of several readings. */
  readonly fresh?: FreshEntries;
  /** Our time, in ms since 1970, after which no further page is read: what was read till then `isCutShort`. */
  readonly until?: number | undefined;
}

/** Reads the audit log as far as it may have new entries: a newest-first log from its head to the first known entry, without what a reading
 *  that was cut short has told; an oldest-first log from its last page on; one of unknown order from both ends. */
export async function walkLog(
  context: PassContext,
  position: AuditPosition | undefined,
  options: WalkOptions = {},
): Promise<WalkedPages> {
  const walked = new WalkedPages(position, options.fresh);
  // While the order is unknown, and the log was one page long, new entries may have come after that page: even when all of
  // its entries are known, the next page must be read.
  const isOnlyPage = position?.order === 'unknown' && position.tail === undefined;
  const isMet = () => (position ? !isOnlyPage && walked.reachesKnown : walked.isNewestFirst);
  const walk = (after: string | undefined, isEnough?: () => boolean) =>
    walkPages(context, walked, { after, isEnough, ...options });
  const begin = () => {
    walked.begin();
    options.onlooker?.begin();
  };
  if (position?.order !== 'oldest-first') {
    begin();
    await walk(undefined, () => isMet() || walked.reachesHead);
  }
  if (position && !walked.isCutShort) {
    const { order, tail } = position;
    if (order === 'newest-first') {
      // The same walk goes on behind what was told already.
      if (walked.reachesHead && !isMet()) await walk(tail, isMet);
    } else if (order === 'oldest-first' || (tail !== undefined && !walked.isNewestFirst)) {
      begin();
      await walk(tail);
    }
  }
  if (walked.isOverfull) {
    const message =
      'The audit log has more new entries than can be held; what the others tell is left to the next sweep.';
    context.log.warn(message, {
      ...context.process,
      code: 'audit-overfull',
      held: walked.fresh.length,
    });
  }
  return walked;
}

interface Walk extends WalkOptions {
  readonly after: string | undefined;
  readonly isEnough: (() => boolean) | undefined;
}

async function walkPages(
  context: PassContext,
  walked: WalkedPages,
  { after, isEnough, onlooker, until = Number.POSITIVE_INFINITY }: Walk,
): Promise<void> {
  const { service, process, clock } = context;
  for await (const page of service.auditLog(process.processId, after)) {
    walked.add(page);
    await onlooker?.see(page);
    await context.heartbeat.beat();
    if (isEnough?.()) return;
    walked.isCutShort = page.hasNextPage && clock() >= until;
    if (walked.isCutShort) return;
  }
}
