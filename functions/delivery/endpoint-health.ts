import type { EndpointSettings } from '../model/endpoint.ts';
import type { EndpointRow, Health } from '../model/endpoint-row.ts';
import { KINDS } from '../model/kinds.ts';
import { gathering, sendsFrom } from '../model/windows.ts';
import {
  afterFailure,
  afterSuccess,
  busy,
  checkHealth,
  closedTo,
  GATHERED,
  hasProblems,
  isSlowedSince,
  joined,
  opensAt,
  stopped,
} from './health.ts';
import { MAIL_TIMEOUT_MS } from './http/post.ts';
import { gaveUp, reportProblem, reportRecovery } from './reports.ts';
import type { DeliveryPorts } from './settler.ts';

/** After this many failures in a row, over this time, a success means that the endpoint is back. With fewer, the
 *  event itself is at fault, and keeps its own pauses. */
const MIN_AWAY_FAILURES = 3;
const MIN_AWAY_MS = 30_000;

/** @returns undefined to leave the health as it is */
type HealthChange = (health: Health) => Health | undefined;

/** The endpoint's health as a run knows it, shared with other runs through the endpoint's row. */
export class EndpointHealth {
  readonly #name: string;
  readonly #settings: EndpointSettings;
  readonly #isConfigured: boolean;
  readonly #dependencies: DeliveryPorts;
  readonly #addedAt: number | undefined;
  #row: EndpointRow | undefined;
  #isStuck = false;
  #isStopLogged = false;
  #isBusy = false;
  #isBack = false;
  #hasBegunBacklog = false;
  #hasReports = false;
  /** When this run began a window, in ms since 1970. */
  #windowSince: number | undefined;
  /** Changes that could not be saved. They are saved with the next one: else that would read the row without
   *  them, and a run would forget a `Retry-After`. */
  #unsaved: HealthChange[] = [];
  /** The last change of the row that was begun. */
  #changing: Promise<unknown> = Promise.resolve();

  /** @param row as it was just read; undefined for a configured endpoint that has none yet */
  constructor(settings: EndpointSettings, row: EndpointRow | undefined, dependencies: DeliveryPorts) {
    this.#name = settings.name;
    this.#settings = settings;
    this.#isConfigured = row?.settings === undefined;
    this.#addedAt = row?.addedAt;
    this.#row = row;
    this.#dependencies = dependencies;
  }

  get now(): Health {
    return this.#row?.health ?? {};
  }

  /** The revision of the endpoint's secret, as its row was read. */
  get secretRevision(): number | undefined {
    return this.#row?.secretRevision;
  }

  /** Whether the endpoint's row could not be written, so that only this run knows its health. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** Whether deliveries wait in rows only because an attempt of this run was slow, and then succeeded. */
  get hasBacklog(): boolean {
    return this.#isBusy && this.now.waiting !== undefined && !hasProblems(this.now);
  }

  /** Whether deliveries of this run began the backlog of an endpoint that was open: then no drain is scheduled. */
  get hasBegunBacklog(): boolean {
    return this.#hasBegunBacklog;
  }

  /** Whether a change of this run made a report for other endpoints. */
  get hasReports(): boolean {
    return this.#hasReports;
  }

  /** From when a delivery that is due at `due` may be tried, both in ms since 1970; undefined for none, and
   *  while only an operator can resume the endpoint. */
  opensAfter(due: number | undefined): number | undefined {
    const opens = opensAt(this.now, this.#dependencies.clock());
    return due === undefined || opens === undefined ? undefined : Math.max(due, opens);
  }

  /** Whether this run found that the endpoint answers again, after it was away. */
  get isBack(): boolean {
    return this.#isBack;
  }

  /** An attempt is slow: further deliveries go to the backlog, so that no other run waits for the endpoint. */
  async slow(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const now = this.#dependencies.clock();
    const timeout = KINDS[this.#settings.kind].isMail ? MAIL_TIMEOUT_MS : undefined;
    await this.#change(health => busy(health, now, timeout));
  }

  /** An attempt that began at `began` succeeded. If the endpoint was away, waiting deliveries are tried at once. */
  async succeeded(began: number): Promise<void> {
    if (!hasProblems(this.now) && !this.now.reports?.problem) return;
    const { deliveries, clock } = this.#dependencies;
    const now = clock();
    const { failing, failures = { count: 0, since: now } } = this.now;
    const origin = this.#row?.origin;
    await this.#change(health =>
      isSlowedSince(health, began, now) ? undefined : reportRecovery(afterSuccess(health), now, origin),
    );
    if (isSlowedSince(this.now, began, now)) return;
    if (!failing && (failures.count < MIN_AWAY_FAILURES || now - failures.since < MIN_AWAY_MS)) return;
    this.#isBack = true;
    const moved = await deliveries.bringForward(this.#name, now);
    if (moved > 0) await this.backlogAdded(now, failing !== undefined);
  }

  /** `depth`: the smallest of the events of the attempt. */
  async failed(reason: string, hold?: { readonly for?: number | undefined }, depth = 0): Promise<void> {
    const { clock, log } = this.#dependencies;
    const before = this.now;
    const now = clock();
    const about = { now, reason, depth, origin: this.#row?.origin };
    await this.#change(health => reportProblem(afterFailure(health, now, reason, hold, depth), about));
    if (this.now.failing && !before.failing)
      log.warn('The endpoint keeps failing: sending one probe at a time; other events are queued.', {
        code: 'endpoint.failing',
        endpoint: this.#name,
        reason,
      });
    if (this.now.stopped?.at === now) this.#logStop();
  }

  /** The endpoint wants no more events (410).
   *  @throws when the write fails */
  async gone(reason: string, depth = 0): Promise<void> {
    const now = this.#dependencies.clock();
    const about = { now, reason, depth, origin: this.#row?.origin };
    await this.#change(health =>
      health.stopped ? undefined : reportProblem(stopped(health, now, reason), about),
    );
    // Compares with the row as it was written, not with what `change` found: if the answer to a write was
    // lost, it runs a second time and finds the endpoint stopped by the first.
    if (this.now.stopped?.at === now) this.#logStop();
  }

  /** A delivery is given up.
   *  @throws when the write fails: it would not be reported */
  gaveUp(reason: string): Promise<void> {
    const now = this.#dependencies.clock();
    return this.#change(health => gaveUp(health, now, reason), false);
  }

  /** Whether the endpoint was removed, as this run last found its row; another one may have its name. */
  get isRemoved(): boolean {
    return !this.#isConfigured && this.#row === undefined;
  }

  /** Saves the origin of the endpoint's address in its row. Reads the row anyway: the address may be that of a later
   *  endpoint of this name.
   *  @throws when the write fails */
  async addressed(origin: string): Promise<void> {
    this.#row = await this.#write(row => (row.origin === origin ? undefined : { ...row, origin }));
  }

  /** Deliveries were added to the backlog. `due`: `gathered` for changes that are sent together later.
   *  @returns when they are due
   *  @throws when the write fails: no run would find them */
  async backlogAdded(due: number | 'gathered', first: boolean): Promise<number> {
    const now = this.#dependencies.clock();
    const settings = this.#settings;
    let at = now;
    const join = (health: Health) => {
      this.#hasBegunBacklog = health.waiting === undefined && closedTo(health, now) === undefined;
      const window = gathering(settings, health.window, now);
      at = due === 'gathered' ? sendsFrom(settings, window, now) : due;
      const joinedAt = due === 'gathered' ? GATHERED : due;
      return { ...joined(health, joinedAt, first), ...(due === 'gathered' && window && { window }) };
    };
    // Without it the caller keeps the deliveries, and reports them again.
    await this.#change(join, false);
    return at;
  }

  /** Begins a window with a message of new changes, if it may be sent now, and no earlier changes wait. Of several
   *  runs, one may. */
  async beginsWindow(): Promise<boolean> {
    const now = this.#dependencies.clock();
    // Another run may have found the endpoint closed since this one read its row: then the message waits.
    const isFree = (health: Health) =>
      !health.window?.holds &&
      sendsFrom(this.#settings, health.window, now) <= now &&
      closedTo(health, now) === undefined;
    // A digest has no message before its time.
    if (this.#settings.digest !== undefined) return false;
    if (this.#settings.window === undefined) return isFree(this.now);
    let isOurs = false;
    await this.#change(health => {
      // If the answer to a write was lost, this finds what it wrote.
      isOurs = isFree(health) || (health.window?.since === now && !health.window.holds);
      return isOurs ? { ...health, window: { since: now } } : undefined;
    }, false);
    if (isOurs) this.#windowSince = now;
    return isOurs;
  }

  /** The message that began a window was not sent: else its changes would wait for the end of this window. */
  async takesWindowBack(): Promise<void> {
    const began = this.#windowSince;
    if (began === undefined) return;
    await this.#change(({ window: { since, ...window } = {}, ...health }) =>
      since === began ? { ...health, ...(window.holds && { window }) } : undefined,
    );
  }

  /** What was gathered is sent: the next window begins. What is left of it is due. */
  windowSent(): Promise<void> {
    const now = this.#dependencies.clock();
    const { window, digest } = this.#settings;
    return this.#change(({ waiting, ...health }) =>
      (window ?? digest) === undefined
        ? undefined
        : {
            ...health,
            ...(waiting && { waiting: { ...waiting, due: Math.min(waiting.due, now) } }),
            window: { ...health.window, since: now },
          },
    );
  }

  /** Changes the endpoint's health in its row. `isKept`: saved with the next change where this write fails. */
  async #change(change: HealthChange, isKept = true): Promise<void> {
    let unsaved: readonly HealthChange[] = [];
    let isReported = false;
    try {
      this.#row = await this.#write(row => {
        unsaved = this.#unsaved;
        const after = changed(row, [...unsaved, change]);
        isReported = (after?.health.reports?.version ?? 0) > (row.health.reports?.version ?? 0);
        return after;
      });
      this.#hasReports ||= isReported;
      this.#unsaved = this.#unsaved.filter(each => !unsaved.includes(each));
    } catch (error) {
      this.#isStuck = true;
      if (isKept) this.#unsaved = [...this.#unsaved, change];
      this.#row = changed(this.#row ?? { name: this.#name, health: {} }, [change]) ?? this.#row;
      throw error;
    }
  }

  /** Changes the endpoint's row, unless the endpoint was removed, or another one added under its name; one change of
   *  this run at a time, so that none finds the row changed by another. */
  #write(change: (row: EndpointRow) => EndpointRow | undefined): Promise<EndpointRow | undefined> {
    const added = this.#isConfigured ? { name: this.#name, health: {} } : undefined;
    const write = async () => {
      let isOurs = true;
      const after = await this.#dependencies.rows.change(this.#name, row => {
        isOurs = this.#isConfigured || row?.addedAt === this.#addedAt;
        const before = row ?? added;
        return isOurs && before ? change(before) : undefined;
      });
      return isOurs ? after : undefined;
    };
    const written = this.#changing.then(write);
    this.#changing = written.catch(() => undefined);
    return written;
  }

  #logStop(): void {
    if (this.#isStopLogged) return;
    this.#isStopLogged = true;
    const { log, count } = this.#dependencies;
    const { reason = '' } = this.now.stopped ?? {};
    count({ EndpointStopped: 1 });
    log.error(
      `endpoint.stopped: ${this.#name} ${reason}. Its events are kept for 30 days; resume the endpoint to send them.`,
      { code: 'endpoint.stopped', endpoint: this.#name, reason },
    );
  }
}

/** The row after these changes of its health; undefined where none changes it. */
function changed(row: EndpointRow, changes: readonly HealthChange[]): EndpointRow | undefined {
  const health = changes.reduce((before, change) => change(before) ?? before, row.health);
  if (health === row.health) return undefined;
  checkHealth(row.health, health);
  return { ...row, health };
}
