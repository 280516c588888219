import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../functions/basics/clock.ts';

/** How long a ticket is valid, in ms: a browser starts within this time. */
const VALID_FOR = 60_000;

/** Makes a ticket, which admits a browser once, within a minute. It stands on the command line that
 *  starts the browser, where everybody on this machine can read it: the token, which is valid for longer,
 *  must not. */
export function newTicket(token: string, clock: Clock): string {
  const good = `${clock() + VALID_FOR}.${randomBytes(12).toString('base64url')}`;
  return `${good}.${macOf(token, good)}`;
}

/** Checks tickets, and accepts each once. */
export function ticketTaker(token: string, clock: Clock): (ticket: string) => boolean {
  const taken = new Map<string, number>();
  return ticket => {
    const [, good = '', until = '', mac = ''] = /^((\d{1,16})\.[\w-]{16})\.([\w-]{43})$/.exec(ticket) ?? [];
    if (!isSame(mac, macOf(token, good)) || clock() >= Number(until) || taken.has(good)) return false;
    for (const [old, at] of taken) if (clock() >= at) taken.delete(old);
    taken.set(good, Number(until));
    return true;
  };
}

function macOf(token: string, good: string): string {
  return createHmac('sha256', token).update(`changewire open ${good}`).digest('base64url');
}

function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
