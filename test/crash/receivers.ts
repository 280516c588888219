import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Random } from '../../functions/basics/clock.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { listen } from '../kit/listen.ts';
import type { Mood } from './plan.ts';

/** An HTTP endpoint that has its moods. */
export interface Receiver {
  readonly url: string;
  readonly received: Received;
  mood: Mood;
  /** How often it answered with an error, and not at all. */
  readonly failed: number;
  readonly hung: number;
  /** What came that should not have. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

type Answer = (response: ServerResponse) => void;
/** Looks at a request. @returns its event, or undefined when it is none @throws when it should not have come */
type Open = (headers: IncomingHttpHeaders, body: string) => string | undefined | Promise<undefined>;

const PART_FAILING = 0.4;
const PART_HANGING = 0.05;
/** Of one event; SNS gives up after the fourth. */
const MAX_FAILURES = 3;

/** The secret that {@link startWebhookReceiver} verifies with. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** An endpoint of `--subscribe --raw`: it confirms, whatever its mood, for what it misses before is no loss. */
export function startRawReceiver(contents: Contents, random: Random): Promise<Receiver> {
  const open: Open = (headers, body) =>
    headers['x-amz-sns-message-type'] === 'SubscriptionConfirmation' ? confirm(body) : body;
  return start(new Received('the raw endpoint', contents), random, open, () => status(500));
}

async function confirm(body: string): Promise<undefined> {
  const { SubscribeURL } = JSON.parse(body) as { SubscribeURL: string };
  // The runner may be killed meanwhile: the next one asks again.
  await fetch(SubscribeURL).catch(() => undefined);
}

/** An endpoint of `--webhook`: it verifies each delivery. */
export function startWebhookReceiver(contents: Contents, random: Random): Promise<Receiver> {
  const webhook = new Webhook(SECRET);
  const open: Open = (headers, body) => {
    const event = webhook.verify(body, headers as Record<string, string>) as { id?: unknown };
    if (event.id !== headers['webhook-id']) throw new Error(`webhook-id is not the id of ${body}`);
    return body;
  };
  // A plain error is tried again in seconds, then in minutes; a 503 when it says.
  const failure = () => (random() < 0.1 ? status(500) : status(503, { 'retry-after': '1' }));
  return start(new Received('the webhook', contents), random, open, failure);
}

async function start(
  received: Received,
  random: Random,
  open: Open,
  failure: () => Answer,
): Promise<Receiver> {
  const problems: string[] = [];
  const state = { mood: 'healthy' as Mood, failed: 0, hung: 0 };
  const failures = new Map<string, number>();

  function react(json: string): Answer | undefined {
    const chance = random();
    const failedBefore = failures.get(json) ?? 0;
    const may = failedBefore < MAX_FAILURES;
    const fails = may && state.mood === 'failing' && chance < PART_FAILING;
    const hangs = may && state.mood === 'hanging' && chance < PART_HANGING;
    if (fails || hangs) failures.set(json, failedBefore + 1);
    received.add(json, !fails && !hangs);
    if (fails) state.failed += 1;
    if (hangs) state.hung += 1;
    if (hangs) return undefined;
    return fails ? failure() : status(204);
  }

  const server = createServer(async (request, response) => {
    // A request that a kill cuts off did not come.
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    try {
      const json = await open(request.headers, body);
      const answer = json === undefined ? status(200) : react(json);
      answer?.(response);
    } catch (error) {
      problems.push(`${received.name}: ${error}`);
      status(500)(response);
    }
  });
  const { url, stop } = await listen(server);
  return Object.assign(state, {
    url: `${url}/events`,
    received,
    problems,
    stop,
  });
}

function status(code: number, headers: Record<string, string> = {}): Answer {
  return response => void response.writeHead(code, headers).end();
}

/** The content under which each event was first seen, whoever received it. */
export class Contents {
  readonly #jsons = new Map<string, { json: string; by: string }>();
  /** Events that were seen with two contents. */
  readonly conflicts: string[] = [];

  /** Every event seen, once. */
  get events(): ChangeEvent[] {
    return [...this.#jsons.values()].map(({ json }) => JSON.parse(json) as ChangeEvent);
  }

  see(json: string, by: string): ChangeEvent {
    const event = JSON.parse(json) as ChangeEvent;
    const first = this.#jsons.get(event.id);
    if (first === undefined) this.#jsons.set(event.id, { json, by });
    else if (first.json !== json)
      this.conflicts.push(`${event.id} has two contents: ${first.json} for ${first.by}, ${json} for ${by}`);
    return event;
  }
}

/** What one receiver took: an event that it answered with an error is not among it. */
export class Received {
  readonly name: string;
  readonly #contents: Contents;
  readonly #taken = new Map<string, ChangeEvent>();
  /** Events that it took once more. */
  repeated = 0;

  constructor(name: string, contents: Contents) {
    this.name = name;
    this.#contents = contents;
  }

  /** In the order of their arrival, each once. */
  get events(): ChangeEvent[] {
    return [...this.#taken.values()];
  }

  get size(): number {
    return this.#taken.size;
  }

  has(id: string): boolean {
    return this.#taken.has(id);
  }

  /** Remembers what it is shown, and, if `takes`, that it has it. */
  add(json: string, takes = true): void {
    const event = this.#contents.see(json, this.name);
    if (!takes) return;
    if (this.#taken.has(event.id)) this.repeated += 1;
    else this.#taken.set(event.id, event);
  }
}
