import { partOf, type TimeAxis, timeAxis } from './time-axis.ts';

/** An attempt, as the operation `attempts` answers it. */
export interface PicturedAttempt {
  readonly at: string;
  readonly events: readonly { readonly id: string }[];
  readonly failure?: string | undefined;
  readonly took: number;
}

/** The attempts of an hour or the like. Durations are in ms. */
export interface DeliveryPart {
  readonly at: number;
  readonly delivered: number;
  readonly failed: number;
  /** Until the answer of a successful attempt: half of them, and 95 %, took no longer; undefined without one. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  /** The longest time that an event had waited since its change was committed. */
  readonly wait: number;
  /** Attempts failed, and none succeeded. */
  readonly isDown: boolean;
}

export interface DeliveryPicture {
  readonly axis: TimeAxis;
  readonly parts: readonly DeliveryPart[];
  /** The attempts that the picture is made from, and the time of the first of them. */
  readonly attempts: number;
  readonly since: number;
  readonly delivered: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

export const PICTURED_MS = 7 * 24 * 60 * 60_000;

interface Known {
  /** In ms since 1970. */
  readonly now: number;
  /** When the oldest event that waits was published; undefined if none waits. */
  readonly oldestWaiting: number | undefined;
}

/** Success, latency and waiting times of an endpoint over time; undefined without attempts.
 *  @param attempts in any order; older than a week are left out */
export function deliveryPicture(
  attempts: readonly PicturedAttempt[],
  { now, oldestWaiting }: Known,
): DeliveryPicture | undefined {
  const made = attempts
    .map(({ at, failure, ...rest }) => ({ ...rest, at: Date.parse(at), isDelivered: failure === undefined }))
    .filter(({ at }) => at >= now - PICTURED_MS && at <= now + 60_000)
    .toSorted((one, other) => one.at - other.at);
  const [first] = made;
  if (!first) return undefined;
  const axis = timeAxis(first.at, Math.max(now, made.at(-1)?.at ?? now));
  const groups = Map.groupBy(made, ({ at }) => partOf(axis, at));
  const open = oldestWaiting !== undefined && oldestWaiting < now ? [{ from: oldestWaiting, to: now }] : [];
  const waits = longestWaits(axis, [...waitsOf(made), ...open]);
  const own = Array.from({ length: axis.count }, (_, part) => {
    const all = groups.get(part) ?? [];
    const took = all.filter(({ isDelivered }) => isDelivered).map(one => one.took);
    const at = axis.since + part * axis.size;
    return { at, delivered: took.length, failed: all.length - took.length, ...percentiles(took) };
  });
  const down = downParts(own);
  const took = made.filter(({ isDelivered }) => isDelivered).map(one => one.took);
  return {
    axis,
    parts: own.map((part, index) => ({ ...part, wait: waits[index] ?? 0, isDown: down.has(index) })),
    ...{ attempts: made.length, since: first.at, delivered: took.length, ...percentiles(took) },
  };
}

/** The value that this share of the values does not exceed; undefined without values. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

function percentiles(took: readonly number[]) {
  return { p50: percentile(took, 0.5), p95: percentile(took, 0.95) };
}

/** The parts without success between failures, also those without attempts: between probes of a failing endpoint. */
function downParts(parts: readonly { readonly delivered: number; readonly failed: number }[]): Set<number> {
  const down = new Set<number>();
  let open: number[] = [];
  for (const [index, { delivered, failed }] of parts.entries()) {
    if (delivered > 0) open = [];
    else if (failed > 0) {
      for (const each of [...open, index]) down.add(each);
      open = [];
    } else if (down.has(index - 1) || open.length > 0) open.push(index);
  }
  return down;
}

interface Made {
  readonly at: number;
  readonly took: number;
  readonly isDelivered: boolean;
  readonly events: readonly { readonly id: string }[];
}

interface Wait {
  readonly from: number;
  readonly to: number;
}

/** The longest wait that had been reached in each part of the axis. */
function longestWaits(axis: TimeAxis, waits: readonly Wait[]): number[] {
  const longest = Array.from({ length: axis.count }, () => 0);
  const last = axis.since + axis.size * axis.count - 1;
  for (const { from, to } of waits) {
    const begin = partOf(axis, Math.max(from, axis.since)) ?? axis.count;
    const end = partOf(axis, Math.min(to, last)) ?? -1;
    for (let part = begin; part <= end; part += 1) {
      const until = Math.min(to, axis.since + (part + 1) * axis.size);
      longest[part] = Math.max(longest[part] ?? 0, until - from);
    }
  }
  return longest;
}

/** Deliveries that are sent side by side may begin in another order. */
const IN_ORDER_MS = 60_000;

/** The waits of the delivered events, from commit to answer. A backlog is sent in order: an event that is first tried
 *  after a younger one was delivered is a replay, which has not waited since its commit. */
function waitsOf(made: readonly Made[]): Wait[] {
  const waits: Wait[] = [];
  const began = new Map<string, number>();
  // Nothing is known of the time before the first attempt: the endpoint may be new, and its first events replayed.
  let youngest = made[0]?.at ?? 0;
  let read = 0;
  for (const { at, took, isDelivered, events } of made) {
    for (; (made[read]?.at ?? at) < at - IN_ORDER_MS; read += 1)
      youngest = Math.max(youngest, ...deliveredTimes(made[read]));
    for (const { id } of events) {
      const committed = committedAt(id) ?? at;
      const from = began.get(id) ?? (committed < youngest ? at : Math.min(committed, at));
      if (isDelivered) waits.push({ from, to: at + took });
      if (isDelivered) began.delete(id);
      else began.set(id, from);
    }
  }
  return waits;
}

function deliveredTimes(made: Made | undefined): number[] {
  return made?.isDelivered ? made.events.map(({ id }) => Math.min(committedAt(id) ?? 0, made.at)) : [];
}

/** The time of the commit in the id of a change: `<process>.<project>.<version>.<index>`. A version is the time of its
 *  commit, or a little later. */
function committedAt(id: string): number | undefined {
  const [, version] = /^[^.]*\.[^.]*\.(\d{13})\.\d+$/.exec(id) ?? [];
  return version === undefined ? undefined : Number(version);
}
