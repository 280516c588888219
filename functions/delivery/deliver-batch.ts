import { AssertionError, assert } from '../basics/assert.ts';
import type { Sleep } from '../basics/clock.ts';
import { inParallel } from '../basics/in-parallel.ts';
import type { Attempt } from '../model/delivery.ts';
import type { EndpointRequest, EndpointSettings } from '../model/endpoint.ts';
import { depthOf } from '../model/event-id.ts';
import { wants } from '../model/filter.ts';
import { KINDS } from '../model/kinds.ts';
import { originOf } from '../model/secret.ts';
import { hasWindow, isUrgent } from '../model/windows.ts';
import type { Slots } from '../store/store.ts';
import { attemptsOf, attemptsOfOmitted, keepAttempts } from './attempt-log.ts';
import { isFlood, ofFirstTopics } from './chat/chat-flood.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { isBursting } from './flood.ts';
import { closedTo, opensAt } from './health.ts';
import { isDown, type Outcome } from './http/outcome.ts';
import type { Answer, NoAnswer, Poster } from './http/post.ts';
import { type Job, type Jobs, judged, type ReadDelivery } from './kinds.ts';
import { readEvent } from './read-event.ts';
import type { Sender } from './sender.ts';
import type { Delivery, DeliveryPorts, Settler } from './settler.ts';
import { sendDirectly, threadOf } from './slack-app/slack-app.ts';

export interface BatchDependencies extends DeliveryPorts, Sender {
  readonly slots: Slots;
  readonly sleep: Sleep;
  /** Called with deliveries that an endpoint accepted. */
  readonly onDelivered?: ((endpoint: string, deliveries: readonly Delivery[]) => void) | undefined;
  /** Called after each request to an endpoint. `ms`: until its whole answer. */
  readonly onAttempt?: ((endpoint: string, attempt: { isAccepted: boolean; ms: number }) => void) | undefined;
  /** Sends the reports of an endpoint's health to the others. */
  readonly sendReports?: ((endpoint: string) => Promise<void>) | undefined;
  /** ms until the run is cut off. */
  readonly remaining: () => number;
  /** Collects work that must not delay deliveries, to be awaited after several batches. By default each batch
   *  awaits its own. */
  readonly later?: ((work: Promise<void>) => void) | undefined;
}

/** Deliveries to one endpoint that are sent together. */
interface Batch {
  readonly endpoint: EndpointSettings;
  readonly health: EndpointHealth;
  readonly settler: Settler;
  /** True for deliveries from the queue, which wait after the backlog; false for the backlog itself. */
  readonly isNew: boolean;
  /** Makes the requests; by default those of the endpoint's kind. */
  readonly jobsOf?: (settler: Settler, health: EndpointHealth) => Promise<Jobs>;
}

/** No attempt begins with less time left: it takes up to 15 s, and its outcome must then be saved. */
export const MIN_REMAINING_MS = 20_000;
/** The same of a mail, which takes up to 45 s. */
const MIN_REMAINING_OF_MAIL_MS = 50_000;
const CONCURRENCY = 10;
/** More deliveries of one message are not rescheduled one by one while the endpoint is down: they wait until its next
 *  attempt. Those of a mail's window wait, too: a server that first refuses unknown senders gets the same mail. */
const MAX_RESCHEDULED = 100;
const DOWN_MS = 30_000;
/** One message a second for each chat: the limit of Slack. */
const CHAT_INTERVAL_MS = 1000;
/** How long a run waits for slots of a chat. Longer waits would occupy the runs that other chats need: the rest
 *  goes to the backlog, which one drain sends. */
const MAX_SLOT_WAIT_MS = 3000;

/** Delivers all open deliveries of the settler to one endpoint, oldest first, and settles each.
 *  @throws AssertionError alone: then the caller leaves all of them where they were */
export async function deliverBatch(batch: Batch, dependencies: BatchDependencies): Promise<void> {
  const { endpoint, settler, health } = batch;
  const { clock, log, count } = dependencies;
  const began = clock();
  const poster = dependencies.openPoster();
  const attempts: Attempt[] = [];
  try {
    await send(batch, poster, attempts, dependencies);
  } catch (error) {
    if (error instanceof AssertionError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    log.error('Could not send deliveries to the endpoint.', {
      code: 'delivery.batch-failed',
      endpoint: endpoint.name,
      reason,
    });
    for (const delivery of settler.open) await settler.failed(delivery, { reason });
  } finally {
    await poster.close();
  }
  for (const delivery of settler.open)
    await settler.failed(delivery, { reason: 'no chat message contains the event' });
  assert(settler.open.length === 0, 'delivery.none-left-open');
  const { tally } = settler;
  const isBack = health.isBack && { isBack: true };
  tally.report(log, { endpoint: endpoint.name, ...isBack, ms: clock() - began });
  count(tally.values);
  if (health.hasReports) await dependencies.sendReports?.(endpoint.name);
  const kept = keepAttempts(endpoint, attempts, dependencies);
  if (dependencies.later) dependencies.later(kept);
  else await kept;
}

/** Sends the requests of a batch, and settles their deliveries.
 *  @throws the error that prevents all of them */
async function send(
  { endpoint, health, settler, isNew, jobsOf }: Batch,
  poster: Poster,
  attempts: Attempt[],
  dependencies: BatchDependencies,
): Promise<void> {
  const { clock, log, remaining, slots, sleep } = dependencies;
  const startedAt = clock();
  let isLate = false;

  if (isClosed()) return leave();
  const { jobs, unrenderable, omitted = [] } = await (jobsOf ?? jobsOfKind)(settler, health);
  attempts.push(...attemptsOfOmitted(endpoint.name, omitted, clock()));
  for (const { delivery, reason } of unrenderable) await settler.dead(delivery, { reason });
  const [first, ...others] = jobs;
  if (!first) return takeWindowBack();
  const secret = await readSecret();
  // Rows may be of a later endpoint of this name.
  if (health.isRemoved) return settler.untried(settler.open);
  // The first one alone: an endpoint that is overloaded or down then gets one request, not ten at once.
  await run(first);
  await inParallel(others, isChat(endpoint) ? 1 : CONCURRENCY, run);

  async function readSecret() {
    try {
      return await dependencies.readSecret(endpoint, {
        revision: health.secretRevision,
        onRead: read => saveHealth(() => health.addressed(originOf(read))),
      });
    } catch (error) {
      await takeWindowBack();
      throw error;
    }
  }

  /** No message was sent in the window that this batch began, if it began one. */
  function takeWindowBack(): Promise<void> {
    return saveHealth(() => health.takesWindowBack());
  }

  /** Changes that are gathered wait for their time, the others until the endpoint is open. */
  async function leave(): Promise<void> {
    const changes = settler.open.filter(each => {
      const read = readEvent(each.body);
      return isNew && 'event' in read && isGathered({ ...each, event: read.event });
    });
    if (changes.length > 0) await settler.gathers(changes);
    if (settler.open.length > 0) await settler.waits(settler.open);
  }

  function isGathered({ replay, event }: Job['deliveries'][number]): boolean {
    return hasWindow(endpoint) && !replay && !isUrgent(event);
  }

  /** Of a flood of new events none: they wait, so that a drain sums them up with those that follow. The same with
   *  changes while a window is open; where they begin one with several messages, of which this run may have time for
   *  the first alone; and always by mail, because only a drain sends a refused mail again as it was. */
  async function jobsOfKind(): Promise<Jobs> {
    const deliveries = await readWanted(endpoint, settler);
    if (!isNew || !isChat(endpoint)) return dependencies.jobsOf(deliveries, endpoint);
    const changes = deliveries.filter(isGathered);
    const isOneMessage = ofFirstTopics(changes, 1).length === changes.length;
    const mayBegin = !isMail(endpoint) && !isFloodOf(changes) && (isOneMessage || !endpoint.window);
    const isSent = changes.length === 0 || (mayBegin && (await beginsWindow()));
    if (!isSent) await settler.gathers(changes);
    const sent = isSent ? deliveries : deliveries.filter(each => !isGathered(each));
    if (!isFloodOf(sent)) return dependencies.jobsOf(sent, endpoint);
    await settler.waits(sent);
    return { jobs: [], unrenderable: [] };
  }

  /** Where that can't be saved, the changes are gathered. */
  async function beginsWindow(): Promise<boolean> {
    let begins = false;
    await saveHealth(async () => {
      begins = await health.beginsWindow();
    });
    return begins;
  }

  function isClosed(): boolean {
    if (isNew) return closedTo(health.now, clock()) !== undefined;
    return (opensAt(health.now, clock()) ?? Number.POSITIVE_INFINITY) > clock();
  }

  async function run(job: Job): Promise<void> {
    const all = job.deliveries;
    const start = isClosed() ? 'closed' : await slot();
    if (start !== 'now') return postpone(all, start);
    const began = clock();
    settler.tally.tried(all, began, isNew);
    const request = job.request(began, secret);
    const thread = await threadOf(endpoint, job.shows ?? all.map(({ event }) => event), dependencies);
    const received = await post(secret.url, thread.reply(request));
    const { answer, outcome } = judged(endpoint, received, secret);
    if (mayBlameSecret(answer, outcome)) dependencies.doubtSecret(endpoint.name);
    const ended = clock();
    attempts.push(...attemptsOf(endpoint.name, all, { began, ended, answer, outcome, secret }));
    dependencies.onAttempt?.(endpoint.name, { isAccepted: outcome.kind === 'delivered', ms: ended - began });
    await thread.answered(received);
    const isKept =
      isDown(answer) && (all.length > MAX_RESCHEDULED || (isMail(endpoint) && job.endsWindow === true));
    // Before its deliveries leave their rows: after a crash, what is left is not sent as a second digest at once.
    if (job.endsWindow && !isKept) await saveHealth(() => health.windowSent());
    await conclude(all, began, outcome, isKept);
    if (outcome.kind !== 'delivered') return;
    // The assignee has had a replayed event before.
    const events = job.shows ?? all.filter(({ replay }) => !replay).map(({ event }) => event);
    const hasTime = () => remaining() >= MIN_REMAINING_MS;
    await sendDirectly(endpoint, { url: secret.url, request, events }, { poster, log }, hasTime);
  }

  async function postpone(all: Job['deliveries'], start: 'late' | 'closed'): Promise<void> {
    if (all.some(isGathered)) await takeWindowBack();
    if (start === 'closed') return settler.waits(all);
    return settler.untried(all);
  }

  /** Sends one request. A slow new delivery is noted in the endpoint's row: new deliveries are spread over many
   *  runs, which would all wait for this endpoint. A backlog is sent by one run only. */
  async function post(url: string, request: EndpointRequest): Promise<Answer | NoAnswer> {
    let saved: Promise<void> | undefined;
    const answer = await poster.post(url, request, () => {
      if (isNew) saved = saveHealth(() => health.slow());
    });
    await saved;
    return answer;
  }

  /** Waits for a chat's next slot. `late`: too little time is left for an attempt. `closed`: new deliveries may
   *  not wait that long. Also late: the run is stopped while it waits. */
  async function slot(): Promise<'now' | 'late' | 'closed'> {
    const left = remaining() - minRemaining(endpoint);
    isLate ||= left < 0;
    if (isLate) return 'late';
    if (!isChat(endpoint)) return 'now';
    if (isNew && (await isBursting(endpoint, dependencies))) return 'closed';
    const now = clock();
    const within = isNew ? Math.min(left, startedAt + MAX_SLOT_WAIT_MS - now) : left;
    const wait = await slots.reserveSlot(endpoint.name, CHAT_INTERVAL_MS, now, within);
    if (wait === undefined && isNew) return 'closed';
    isLate =
      wait === undefined ||
      !(await sleep(wait).then(
        () => true,
        () => false,
      ));
    return isLate ? 'late' : 'now';
  }

  async function conclude(
    all: readonly Delivery[],
    began: number,
    outcome: Outcome,
    isKept: boolean,
  ): Promise<void> {
    if (outcome.kind === 'delivered') {
      await settler.delivered(all);
      dependencies.onDelivered?.(endpoint.name, all);
      return saveHealth(() => health.succeeded(began));
    }
    const { reason, quote } = outcome;
    const depth = Math.min(...all.map(({ eventId }) => depthOf(eventId)));
    if (outcome.kind === 'gone') {
      await health.gone(reason, depth);
      return settler.waits(all);
    }
    const slowed = outcome.kind === 'slowed' ? { for: outcome.retryAfter } : undefined;
    const hold = isKept ? { for: Math.max(slowed?.for ?? 0, DOWN_MS) } : slowed;
    await saveHealth(() => health.failed(reason, hold, depth));
    if (isKept) return settler.waits(all);
    await inParallel(all, CONCURRENCY, delivery => settler.failed(delivery, { reason, quote }));
  }

  /** Saves the endpoint's health. A failure to save it is only logged: it doesn't concern the delivery, and
   *  the next attempts show the same. */
  async function saveHealth(save: () => Promise<void>): Promise<void> {
    try {
      await save();
    } catch (error) {
      const details = { code: 'endpoint.health-not-saved', endpoint: endpoint.name, error: String(error) };
      log.warn("Could not save the endpoint's health.", details);
    }
  }
}

function isFloodOf(deliveries: readonly ReadDelivery[]): boolean {
  return isFlood(deliveries.map(({ event }) => event));
}

/** Reads the events of the open deliveries in sending order; settles those that can't be sent. */
async function readWanted({ filter = {} }: EndpointSettings, settler: Settler): Promise<ReadDelivery[]> {
  const wanted: ReadDelivery[] = [];
  for (const delivery of settler.open.toSorted(inTurn)) {
    const read = readEvent(delivery.body);
    if ('malformed' in read) await settler.dead(delivery, { reason: read.malformed });
    // A replay or resend was already filtered when it was requested.
    else if (delivery.replay || wants(filter, read.event)) wanted.push({ ...delivery, event: read.event });
    else await settler.unwanted(delivery);
  }
  return wanted;
}

/** Whether one message shows several events, and takes a slot. */
export function isChat({ kind }: EndpointSettings): boolean {
  return KINDS[kind].queue === 'chat';
}

export function isMail({ kind }: EndpointSettings): boolean {
  return KINDS[kind].isMail === true;
}

/** ms that an attempt must have left. */
export function minRemaining(endpoint: EndpointSettings): number {
  return isMail(endpoint) ? MIN_REMAINING_OF_MAIL_MS : MIN_REMAINING_MS;
}

/** Whether an attempt may have failed because the address or signing secret changed: true unless the receiver is
 *  overloaded or broken. */
function mayBlameSecret(answer: Answer | NoAnswer, { kind }: Outcome): boolean {
  return kind !== 'delivered' && ('why' in answer || !isDown(answer));
}

type Turn = Pick<Delivery, 'replay' | 'at'>;

/** Live deliveries before replayed ones, each in the order of their times. */
export function inTurn(one: Turn, other: Turn): number {
  return Number(one.replay ?? false) - Number(other.replay ?? false) || one.at - other.at;
}
