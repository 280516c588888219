import type { Sleep } from '../basics/clock.ts';
import { inParallel } from '../basics/in-parallel.ts';
import type { EndpointRequest, EndpointSecret, EndpointSettings } from '../model/endpoint.ts';
import { wants } from '../model/filter.ts';
import { KINDS } from '../model/kinds.ts';
import { originOf } from '../model/secret.ts';
import type { Slots } from '../store/store.ts';
import { AttemptLog } from './attempt-log.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { closedTo, opensAt } from './health.ts';
import { type Outcome, outcomeOf } from './http/outcome.ts';
import type { Answer, NoAnswer, Poster } from './http/post.ts';
import { harmless } from './http/quote.ts';
import type { Job, Jobs, Letter } from './kinds.ts';
import { readEvent } from './read-event.ts';
import type { EndpointSecrets } from './secrets.ts';
import type { DeliveryPorts, Held, Settler } from './settler.ts';

export interface BatchDependencies extends DeliveryPorts {
  readonly readSecret: EndpointSecrets['readSecret'];
  readonly doubtSecret?: EndpointSecrets['doubtSecret'];
  readonly slots: Slots;
  readonly openPoster: () => Poster;
  /** The requests that deliver these events. */
  readonly jobsOf: (letters: readonly Letter[], endpoint: EndpointSettings) => Jobs;
  readonly sleep: Sleep;
  /** Called with deliveries that an endpoint accepted. */
  readonly onDelivered?: ((endpoint: string, held: readonly Held[]) => void) | undefined;
  /** ms until the run is cut off. */
  readonly remaining: () => number;
  /** Takes work that delays no delivery, to be awaited after several batches. Without it each batch awaits
   *  its own. */
  readonly later?: ((work: Promise<void>) => void) | undefined;
}

/** Deliveries to one endpoint that are sent together. */
interface Batch {
  readonly endpoint: EndpointSettings;
  readonly health: EndpointHealth;
  readonly settler: Settler;
  /** True for deliveries from the queue: they wait behind those that are in rows already. Those from rows
   *  don't. */
  readonly isNew: boolean;
}

/** No attempt begins with less time left: it takes 15 s at most, and then its outcome must be written. */
export const LEAST_REMAINING_MS = 20_000;
/** Posts to one webhook at once. */
const WIDTH = 10;
/** One message a second for each chat: the limit of Slack. */
const CHAT_INTERVAL_MS = 1000;
/** How long after its beginning a run begins attempts of new deliveries to a chat, whose slots it waits for.
 *  Longer waits would take up the runs that other channels need: the rest becomes rows, which one drain
 *  sends. */
const MAX_SLOT_WAIT_MS = 3000;

/** Delivers to one endpoint what its settler has open, the oldest first, and settles every delivery. Never
 *  rejects. */
export async function deliverBatch(batch: Batch, dependencies: BatchDependencies): Promise<void> {
  const { endpoint, settler, health } = batch;
  const { clock, log, count } = dependencies;
  const began = clock();
  const poster = dependencies.openPoster();
  const attempts = new AttemptLog(endpoint, dependencies);
  try {
    await new Run(batch, poster, attempts, dependencies).run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error('Nothing can be delivered to an endpoint at present.', {
      endpoint: endpoint.name,
      reason,
    });
    for (const held of settler.open) await settler.failed(held, { reason });
  } finally {
    await poster.close();
  }
  // Deliveries whose event no message of the chat format contained.
  for (const held of settler.open) await settler.failed(held, { reason: 'no message told the event' });
  const { tally } = settler;
  const isBack = health.isBack && { isBack: true };
  tally.tell(log, { endpoint: endpoint.name, ...isBack, ms: clock() - began });
  count(tally.values);
  const written = attempts.write();
  if (dependencies.later) dependencies.later(written);
  else await written;
}

class Run {
  readonly #batch: Batch;
  readonly #poster: Poster;
  readonly #attempts: AttemptLog;
  readonly #dependencies: BatchDependencies;
  readonly #began: number;
  #isLate = false;

  constructor(batch: Batch, poster: Poster, attempts: AttemptLog, dependencies: BatchDependencies) {
    this.#batch = batch;
    this.#poster = poster;
    this.#attempts = attempts;
    this.#dependencies = dependencies;
    this.#began = dependencies.clock();
  }

  async run(): Promise<void> {
    const { endpoint, settler } = this.#batch;
    if (this.#isClosed) return this.#settle(settler.open, held => settler.waits(held));
    const letters = await this.#readLetters();
    if (letters.length === 0) return;
    const { health } = this.#batch;
    const secret = await this.#dependencies.readSecret(endpoint, {
      revision: health.secretRevision,
      onRead: read => this.#tell(() => health.addressed(originOf(read))),
    });
    const { jobs, unfit } = this.#dependencies.jobsOf(letters, endpoint);
    for (const { held, reason } of unfit) await settler.dead(held, { reason });
    const [first, ...others] = jobs;
    if (!first) return;
    // The first one alone: an endpoint that is overloaded or down then gets one request, not ten at once.
    await this.#do(first, secret);
    await inParallel(others, isChat(endpoint) ? 1 : WIDTH, job => this.#do(job, secret));
  }

  /** Whether the endpoint gets nothing now, as far as this run knows. */
  get #isClosed(): boolean {
    const { health, isNew } = this.#batch;
    const now = this.#dependencies.clock();
    if (isNew) return closedTo(health.now, now) !== undefined;
    return (opensAt(health.now, now) ?? Number.POSITIVE_INFINITY) > now;
  }

  async #readLetters(): Promise<Letter[]> {
    const { endpoint, settler } = this.#batch;
    const letters: Letter[] = [];
    for (const held of settler.open.toSorted(inTurn)) {
      const read = readEvent(held.body);
      if ('malformed' in read) await settler.dead(held, { reason: read.malformed });
      // What is sent once more was chosen when it was asked for: the filter counts no more.
      else if (held.replay || wants(endpoint.filter ?? {}, read.event))
        letters.push({ held, event: read.event });
      else await settler.unwanted(held);
    }
    return letters;
  }

  async #do(job: Job, secret: EndpointSecret): Promise<void> {
    const { settler } = this.#batch;
    const all = job.letters.map(({ held }) => held);
    if (this.#isClosed) return this.#settle(all, held => settler.waits(held));
    const start = await this.#start();
    if (start === 'crowded') return this.#settle(all, held => settler.waits(held));
    if (start === 'late') return this.#settle(all, held => settler.untried(held));
    const { clock } = this.#dependencies;
    const began = clock();
    settler.tally.tried(all, began, this.#batch.isNew);
    const answer = quoted(await this.#post(secret.url, job.request(began, secret)), secret);
    const outcome = outcomeOf(answer);
    if (isOfSecret(answer, outcome)) this.#dependencies.doubtSecret?.(this.#batch.endpoint.name);
    this.#attempts.add(job.letters, { began, answer, outcome, secret });
    await this.#conclude(all, outcome);
  }

  /** Sends one request. If a new delivery is slow, the endpoint's row says so: new deliveries are spread over
   *  many runs, which would all wait for this endpoint. What waits in rows is sent by one run only. */
  async #post(url: string, request: EndpointRequest): Promise<Answer | NoAnswer> {
    const { health, isNew } = this.#batch;
    let told: Promise<void> | undefined;
    const answer = await this.#poster.post(url, request, () => {
      if (isNew) told = this.#tell(() => health.slow());
    });
    await told;
    return answer;
  }

  /** Waits for a chat's next slot. `late`: too little time is left for an attempt. `crowded`: the slot comes
   *  later than new deliveries may wait. */
  async #start(): Promise<'now' | 'late' | 'crowded'> {
    const { remaining, slots, clock, sleep } = this.#dependencies;
    const { endpoint, isNew } = this.#batch;
    const left = remaining() - LEAST_REMAINING_MS;
    this.#isLate ||= left < 0;
    if (this.#isLate) return 'late';
    if (!isChat(endpoint)) return 'now';
    const now = clock();
    const within = isNew ? Math.min(left, this.#began + MAX_SLOT_WAIT_MS - now) : left;
    const wait = await slots.reserveSlot(endpoint.name, CHAT_INTERVAL_MS, now, within);
    if (wait !== undefined) {
      await sleep(wait);
      return 'now';
    }
    if (isNew) return 'crowded';
    this.#isLate = true;
    return 'late';
  }

  async #conclude(all: readonly Held[], outcome: Outcome): Promise<void> {
    const { settler, health } = this.#batch;
    if (outcome.kind === 'delivered') {
      await settler.delivered(all);
      this.#dependencies.onDelivered?.(this.#batch.endpoint.name, all);
      return this.#tell(() => health.succeeded());
    }
    const { reason, said } = outcome;
    const failure = { reason, said };
    if (outcome.kind === 'gone') {
      await health.gone(failure);
      return this.#settle(all, held => settler.waits(held));
    }
    await this.#tell(() =>
      health.failed(failure, outcome.kind === 'slowed' ? { for: outcome.retryAfter } : undefined),
    );
    await this.#settle(all, held => settler.failed(held, failure));
  }

  /** Writes the endpoint's health. A failure to write is only logged: it doesn't concern the delivery, and
   *  the next attempts show the same. */
  async #tell(tell: () => Promise<void>): Promise<void> {
    try {
      await tell();
    } catch (error) {
      const { log } = this.#dependencies;
      log.warn('How an endpoint does could not be written down.', {
        endpoint: this.#batch.endpoint.name,
        error: String(error),
      });
    }
  }

  async #settle(all: readonly Held[], how: (held: Held) => Promise<void>): Promise<void> {
    await Promise.all(all.map(how));
  }
}

/** Whether one message shows several events, and takes a slot. */
function isChat({ kind }: EndpointSettings): boolean {
  return KINDS[kind].queue === 'chat';
}

/** Whether an attempt may have failed because the address or the signing secret changed: for every reason but
 *  that the receiver is overloaded or broken. */
function isOfSecret(answer: Answer | NoAnswer, { kind }: Outcome): boolean {
  return kind !== 'delivered' && !('status' in answer && (answer.status === 429 || answer.status >= 500));
}

/** Live deliveries before replayed ones, each in the order of their times. */
function inTurn(one: Held, other: Held): number {
  return Number(one.replay ?? false) - Number(other.replay ?? false) || one.at - other.at;
}

/** The answer without its quote, if that repeats something secret of the endpoint: quotes are logged. */
function quoted(answer: Answer | NoAnswer, secret: EndpointSecret): Answer | NoAnswer {
  if ('why' in answer || answer.said === undefined) return answer;
  const { said, ...rest } = answer;
  return harmless(said, secret) === undefined ? rest : answer;
}
