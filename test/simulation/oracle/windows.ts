import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { WindowSettings } from '../../../functions/model/windows.ts';
import { foldPlaces, isGathered } from '../chats/fold.ts';
import type { InHand } from './batches.ts';
import { idOf } from './rows.ts';
import { Violation } from './violation.ts';

const MINUTE = 60_000;
/** From the decision to send to the moment when the channel has it: reading, slots, latencies. */
const SENDING_MS = 30_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE };
/** The times of the plans' digests and quiet hours are multiples of it. */
const HALF_HOUR = 30 * MINUTE;

/** Judges when a channel gets the changes that it gathers: not before its window is over or its digest's time came, and not in its quiet
 *  hours. After trouble one window is free: what was gathered may be told in parts. */
export class WindowOracle {
  readonly #name: string;
  readonly #settings: WindowSettings;
  /** The changes that went back, by the last reading of the rows. */
  #takenBack: ReadonlyMap<string, string> = new Map();
  #notBefore = 0;
  /** When changes were last told, or known to have gone back. */
  #last = 0;
  /** When the last window began: what was due then is left of what was gathered, and may follow. */
  #began = 0;
  /** The run that tells gathered changes, and when the window began that it tells them in; undefined without one. */
  #under: { readonly by: object; readonly since: number } | undefined;

  constructor(name: string, settings: WindowSettings) {
    this.#name = name;
    this.#settings = settings;
  }

  get #windowMs(): number {
    const [, count, unit = ''] = /^(\d+)([mh])$/.exec(this.#settings.window ?? '') ?? [];
    return Number(count ?? 0) * (UNITS[unit] ?? 0);
  }

  /** From when on changes of now may be told. */
  opensAt(now: number): number {
    const { digest, quiet } = this.#settings;
    const isClosed = (at: number) =>
      digest ? !hasDigestBetween(digest, at - 1, at) : quiet !== undefined && isQuiet(quiet, at);
    let opens = Math.max(now, this.#last + this.#windowMs);
    while (isClosed(opens)) opens = (Math.floor(opens / HALF_HOUR) + 1) * HALF_HOUR;
    return opens;
  }

  /** A run has read these rows at `now`. */
  reads(rows: readonly InHand[], now: number): void {
    const gathered = gatheredIn(rows);
    const gone = foldPlaces(gathered.map(eventOf)).places.filter(place => place.events.length === 0);
    const ids = new Set(gone.flatMap(({ of }) => of.map(({ id }) => id)));
    this.#takenBack = new Map(
      gathered.map(({ body }) => [idOf(body), body] as const).filter(([id]) => ids.has(id)),
    );
    if (gone.length > 0) this.#last = now;
  }

  /** The event, if it needs no message, because its changes went back. */
  takenBack(id: string): string | undefined {
    return this.#takenBack.get(id);
  }

  /** A run tells these, of what it has in hand. */
  told(by: object, told: readonly InHand[], inHand: readonly InHand[], now: number): void {
    const { quiet, digest } = this.#settings;
    const changes = told.filter(one => !one.isReplay && isGathered(eventOf(one)));
    if (changes.length > 0) this.#last = now;
    const isLate = quiet && isQuiet(quiet, now) && isQuiet(quiet, now - 2 * SENDING_MS);
    if (changes.length > 0 && isLate) this.#fail(now, 'in its quiet hours');
    const isNew = (one: InHand) => !one.isReplay && !one.isTried && isGathered(eventOf(one));
    if (!changes.some(isNew)) return;
    const isClean = this.#under === undefined || this.#under.by === by;
    const isLeft = ({ due }: InHand) => due !== undefined && due <= this.#began;
    const isEarly = now < this.#notBefore - SENDING_MS && !changes.filter(isNew).every(isLeft);
    if (isClean && this.#under === undefined && isEarly)
      this.#fail(now, `before ${new Date(this.#notBefore).toISOString()}, when its window ends`);
    const isDue = ({ due = 0 }: InHand) => hasDigestBetween(digest ?? '', due, now);
    if (digest && isClean && !inHand.filter(isNew).some(isDue)) this.#fail(now, 'before its digest is due');
    // New changes begin their window with their first message, those of rows with the last.
    const isNewBatch = inHand.length === 0 && this.#under?.by === by;
    this.#under = { by, since: isNewBatch ? (this.#under?.since ?? now) : now };
  }

  /** A run is over. */
  ends(by: object, isFree: boolean): void {
    if (this.#under?.by !== by) return;
    if (!isFree) {
      // A later run of its process does not end this window.
      this.#under = { ...this.#under, by: {} };
      return;
    }
    this.#began = this.#under.since;
    if (this.#windowMs > 0) this.#notBefore = this.#began + this.#windowMs;
    this.#under = undefined;
  }

  /** The table was restored. */
  forget(): void {
    this.#notBefore = 0;
    this.#began = 0;
    this.#under = undefined;
  }

  #fail(now: number, why: string): never {
    throw new Violation(12, `${this.#name} is told changes at ${new Date(now).toISOString()}, ${why}`);
  }
}

/** The rows whose changes are gathered. Of an event that comes twice, the first. */
export function gatheredIn(rows: readonly InHand[]): InHand[] {
  const changes = rows.filter(row => !row.isReplay && isGathered(eventOf(row)));
  return [...Map.groupBy(changes, ({ body }) => idOf(body)).values()].flatMap(([first]) => first ?? []);
}

export function eventOf({ body }: Pick<InHand, 'body'>): ChangeEvent {
  return JSON.parse(body) as ChangeEvent;
}

const NAMES = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The day of the week, from 0 for Monday, and the time of day, as a clock on the wall shows them. */
function onTheWall(timeZone: string, at: number): { readonly day: number; readonly time: string } {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const [weekday = '', time = ''] = format.format(at).split(/,? /);
  return { day: NAMES.indexOf(weekday), time };
}

function isAmong(days: string | undefined, day: number): boolean {
  if (days === undefined) return true;
  return days.split(',').some(part => {
    const [from = 0, to = from] = part
      .split('-')
      .map(name => NAMES.findIndex(each => each.toLowerCase() === name));
    return (day - from + 7) % 7 <= (to - from + 7) % 7;
  });
}

function partsOf(text: string): { days: string | undefined; times: string; zone: string } {
  const parts = text.split(' ');
  const [zone = '', times = ''] = parts.toReversed();
  return { days: parts.length === 3 ? parts[0] : undefined, times, zone };
}

function isQuiet(text: string, at: number): boolean {
  const { days, times, zone } = partsOf(text);
  const [begin = '', end = ''] = times.split('-');
  const { day, time } = onTheWall(zone, at);
  const isSince = time >= begin && isAmong(days, day);
  if (begin < end) return isSince && time < end;
  return isSince || (time < end && isAmong(days, (day + 6) % 7));
}

function hasDigestBetween(text: string, from: number, to: number): boolean {
  const { days, times, zone } = partsOf(text);
  for (let at = Math.floor(to / MINUTE) * MINUTE; at > from; at -= MINUTE) {
    const { day, time } = onTheWall(zone, at);
    if (time === times && isAmong(days, day)) return true;
  }
  return false;
}
