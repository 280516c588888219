import type { SQSRecord } from 'aws-lambda';
import type { Sleep } from '../clock.ts';
import type { EndpointKind, EndpointSecret, EndpointSettings } from '../endpoints/endpoint.ts';
import { wants } from '../endpoints/filter.ts';
import { type Outcome, outcomeOf } from '../endpoints/outcome.ts';
import type { Poster } from '../endpoints/post.ts';
import type { ReadEndpointSecret } from '../endpoints/secrets.ts';
import type { EndpointStates } from '../snapshots/endpoint-states.ts';
import { type ChatFormat, chatJobs, type Job, type Letter, webhookJobs } from './jobs.ts';
import { oneThenMany } from './one-then-many.ts';
import { readEvent } from './read-event.ts';
import { Settler, type SettlerDependencies } from './settler.ts';

export interface BatchDependencies extends SettlerDependencies {
  readonly readSecret: ReadEndpointSecret;
  readonly states: EndpointStates;
  readonly openPoster: () => Poster;
  readonly chatFormats: Readonly<Record<Exclude<EndpointKind, 'webhook'>, ChatFormat>>;
  readonly sleep: Sleep;
  /** ms until the run is cut off. */
  readonly remaining: () => number;
}

/** An attempt takes 15 s at most, and what follows from it must be written down. */
export const LEAST_REMAINING_MS = 20_000;
/** Posts to one webhook at once. */
const WIDTH = 10;
/** Slack's and Teams' bound: a message a second for one webhook. */
const CHAT_INTERVAL_MS = 1000;

/** Delivers one endpoint's messages, the oldest first. Returns the ids of those that must stay in the queue. */
export async function deliverBatch(
  endpoint: EndpointSettings,
  records: readonly SQSRecord[],
  dependencies: BatchDependencies,
): Promise<readonly string[]> {
  const settler = new Settler(endpoint, records, dependencies);
  const poster = dependencies.openPoster();
  try {
    await new Batch(endpoint, settler, poster, dependencies).run();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    dependencies.log.error('Nothing can be delivered to an endpoint at present.', {
      endpoint: endpoint.name,
      reason,
    });
    for (const record of settler.open) await settler.failed(record, { reason });
  } finally {
    await poster.close();
  }
  // Whatever a chat format forgot.
  for (const record of settler.open) await settler.failed(record, { reason: 'no message told the event' });
  return settler.again;
}

/** What the outcome of one attempt means for all that follow in the batch. */
type Rest = (record: SQSRecord) => Promise<void>;

class Batch {
  readonly #endpoint: EndpointSettings;
  readonly #settler: Settler;
  readonly #poster: Poster;
  readonly #dependencies: BatchDependencies;
  #rest: Rest | undefined;

  constructor(endpoint: EndpointSettings, settler: Settler, poster: Poster, dependencies: BatchDependencies) {
    this.#endpoint = endpoint;
    this.#settler = settler;
    this.#poster = poster;
    this.#dependencies = dependencies;
  }

  async run(): Promise<void> {
    const { states, readSecret } = this.#dependencies;
    const { name, kind } = this.#endpoint;
    const stopped = await states.isStopped(name);
    if (stopped) {
      const since = new Date(stopped.at).toISOString();
      return this.#settle(this.#settler.open, record =>
        this.#settler.dead(record, { reason: `the endpoint is stopped since ${since}: ${stopped.reason}` }),
      );
    }
    const letters = await this.#readLetters();
    const secret = await readSecret(this.#endpoint);
    const { jobs, unfit } =
      kind === 'webhook' ? webhookJobs(letters) : chatJobs(letters, this.#dependencies.chatFormats[kind]);
    for (const { record, reason } of unfit) await this.#settler.dead(record, { reason });
    // The first one alone: an endpoint that wants less is not met by ten at once.
    await oneThenMany(jobs, kind === 'webhook' ? WIDTH : 1, job => this.#do(job, secret));
  }

  async #readLetters(): Promise<Letter[]> {
    const firstReceived = (record: SQSRecord) => Number(record.attributes.ApproximateFirstReceiveTimestamp);
    const oldestFirst = this.#settler.open.toSorted(
      (left, right) => firstReceived(left) - firstReceived(right),
    );
    const letters: Letter[] = [];
    for (const record of oldestFirst) {
      const read = readEvent(record.body);
      if ('malformed' in read) await this.#settler.dead(record, { reason: read.malformed });
      else if (wants(this.#endpoint.filter ?? {}, read.event)) letters.push({ record, event: read.event });
      else this.#settler.unwanted(record);
    }
    return letters;
  }

  async #do(job: Job, secret: EndpointSecret): Promise<void> {
    if (!this.#rest && !(await this.#mayStart())) this.#rest = record => this.#settler.later(record, 0);
    if (this.#rest) return this.#settle(job.records, this.#rest);
    const request = job.request(this.#dependencies.clock(), secret);
    await this.#conclude(job.records, outcomeOf(await this.#poster.post(secret.url, request)));
  }

  /** Waits for a chat's next moment to send. False when there is no time left for an attempt. */
  async #mayStart(): Promise<boolean> {
    const { remaining, states, clock, sleep } = this.#dependencies;
    const { name, kind } = this.#endpoint;
    if (remaining() < LEAST_REMAINING_MS) return false;
    if (kind === 'webhook') return true;
    const wait = await states.reserveSlot(name, CHAT_INTERVAL_MS, clock());
    if (remaining() - wait < LEAST_REMAINING_MS) return false;
    await sleep(wait);
    return true;
  }

  async #conclude(records: readonly SQSRecord[], outcome: Outcome): Promise<void> {
    if (outcome.kind === 'delivered') return this.#settler.delivered(records);
    const { reason, said } = outcome;
    const failure = { reason, said };
    if (outcome.kind === 'failed')
      return this.#settle(records, record => this.#settler.failed(record, failure));
    if (outcome.kind === 'slowed') {
      const rest: Rest = record => this.#settler.failed(record, failure, outcome.retryAfter);
      // An answer that was on its way does not take back that another stopped the endpoint.
      this.#rest ??= rest;
      return this.#settle(records, rest);
    }
    await this.#stop(reason);
    this.#rest = record => this.#settler.dead(record, { reason: `the endpoint ${reason} and is stopped` });
    await this.#settle(records, this.#rest);
  }

  async #stop(reason: string): Promise<void> {
    const { states, clock, log, count } = this.#dependencies;
    const { name } = this.#endpoint;
    if (!(await states.stop(name, reason, clock()))) return;
    count('EndpointStopped', 1, { endpoint: name });
    log.error(
      `Endpoint ${name} ${reason}: it wants no more events. It is stopped, and its events go to its dead-letter queue. ` +
        `To serve it again, delete the table's item with pk ENDPOINT#${name} and sk STATE, then send its dead letters again.`,
      { endpoint: name },
    );
  }

  async #settle(records: readonly SQSRecord[], how: Rest): Promise<void> {
    await Promise.all(records.map(how));
  }
}
