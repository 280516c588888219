import type { Queue } from '../../functions/queue/queue.ts';
import { askedPass, passIn, passMessage } from '../../functions/schedule/pass-message.ts';
import { Life } from './life.ts';
import { QueueSource } from './models/event-source.ts';
import type { PassesOracle } from './oracle/passes.ts';
import type { SharesOracle } from './oracle/shares.ts';
import type { Pollers } from './pollers.ts';
import { PROCESS, type Shared, WORKSPACE } from './shared.ts';
import { ForgetfulQueue, type ReachedQueue, sqsClient } from './sqs.ts';

/** As deployed: infra/parts/poll.ts. */
const VISIBILITY_S = 1_800;
const RETENTION_S = 3_600;
/** Messages that are worked off at once. */
const LANES = 3;
/** How late a message may come, and how late one whose run was throttled comes again. */
const LATE_MS = 240_000;
const THROTTLED_S = 90;

/** The queue of passes, and Lambda's event source mapping that has the poll function run for each of its messages. */
export class Passes {
  readonly #shared: Shared;
  readonly #pollers: Pollers;
  readonly #queue: PassesQueue;
  /** By message: how many of its runs are under way, and how many were killed. */
  readonly #underWay = new Map<string, number>();
  readonly #killed = new Set<string>();
  readonly #received = new Set<string>();
  #lanes = 0;
  #handed = 0;
  #isPaused = false;
  #cancel = () => {};

  constructor(shared: Shared, pollers: Pollers, oracles: Judges) {
    this.#shared = shared;
    this.#pollers = pollers;
    this.#queue = new PassesQueue(shared, oracles);
  }

  /** The queue as one process reaches it; `sent` is called for each message that comes into it. */
  portOf(life: Life, sent: () => void = () => {}): Queue {
    const client = sqsClient(life, [this.#queue.of({ life, sent })], { sent: () => this.#wake() });
    return life.release.sqsQueue(client, this.#queue.url);
  }

  /** An operator asks for a pass. */
  ask(mode: 'changes' | 'sweep'): void {
    const { nature, clocks, coverage } = this.#shared;
    coverage.add('operator', 'pass asked for');
    const pass = askedPass({ workspace: WORKSPACE, processId: PROCESS }, mode, clocks.of(0)());
    const life = new Life({ ...nature, faulty: false });
    void this.portOf(life).send([passIn(pass)]);
  }

  /** Nothing is on its way, and nothing waits. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && this.#lanes === 0;
  }

  /** Messages stay where they are. */
  pause(): void {
    this.#isPaused = true;
    this.#cancel();
  }

  resume(): void {
    this.#isPaused = false;
    this.#wake();
  }

  #wake(): void {
    this.#cancel();
    const visibleAt = this.#queue.nextVisibleAt();
    if (this.#isPaused || visibleAt === undefined || this.#lanes === LANES) return;
    const { scheduler, random } = this.#shared;
    this.#cancel = scheduler.after(
      Math.max(0, visibleAt - scheduler.now) + 20 + random() * 200,
      () => void this.#receive(),
    );
  }

  async #receive(): Promise<void> {
    if (this.#isThrottled()) return this.#wake();
    this.#lanes += 1;
    const died = Promise.withResolvers<void>();
    const source = new QueueSource({
      queue: this.#queue,
      batchSize: 1,
      handler: async ({ Records: [record] }) => {
        if (!record) throw new Error('a batch without a message');
        const { messageId } = record;
        this.#count(messageId);
        const strikes = this.#shared.plan.schedule?.runs[this.#handed++] ?? [];
        const { ended, isAgain } = await this.#pollers.serve(record, life => this.portOf(life), strikes);
        this.#underWay.set(messageId, (this.#underWay.get(messageId) ?? 0) - 1);
        if (isAgain) this.#shared.coverage.add('passes', 'again without a share');
        if (ended) return { batchItemFailures: isAgain ? [{ itemIdentifier: messageId }] : [] };
        this.#killed.add(messageId);
        this.#shared.coverage.add('passes', 'run killed');
        died.resolve();
        return new Promise(() => {});
      },
    });
    const ran = source.run();
    this.#wake();
    await Promise.race([ran, died.promise]);
    this.#lanes -= 1;
    this.#wake();
  }

  /** Whether Lambda throttles this run: then the message comes again. */
  #isThrottled(): boolean {
    const { plan, nature, random, coverage } = this.#shared;
    if (!nature.faulty || random() >= (plan.schedule?.mess.throttled ?? 0)) return false;
    for (const { messageId, receiptHandle } of this.#queue.receive(1)) {
      coverage.add('passes', 'throttled');
      if (this.#queue.isHidden(messageId))
        this.#queue.changeVisibility(receiptHandle, Math.ceil(random() * THROTTLED_S));
    }
    return true;
  }

  #count(messageId: string): void {
    const { coverage } = this.#shared;
    const underWay = this.#underWay.get(messageId) ?? 0;
    if (this.#received.has(messageId)) coverage.add('passes', 'delivered twice');
    if (underWay > 0) coverage.add('passes', 'two runs of one at once');
    if (this.#killed.has(messageId)) coverage.add('passes', 'again behind a killed run');
    this.#received.add(messageId);
    this.#underWay.set(messageId, underWay + 1);
  }
}

/** What judges messages. */
interface Judges {
  readonly paces: PassesOracle;
  readonly shares: SharesOracle;
}

/** A process that sends messages; `sent` is called for each that comes into the queue. */
interface Sender {
  readonly life: Life;
  readonly sent: () => void;
}

/** Some of its messages are late. */
class PassesQueue extends ForgetfulQueue {
  readonly #shared: Shared;
  readonly #oracles: Judges;
  constructor(shared: Shared, oracles: Judges) {
    super(
      {
        name: 'passes',
        arn: 'arn:aws:sqs:eu-west-1:000000000000:passes',
        url: 'https://sqs.eu-west-1.amazonaws.com/000000000000/passes',
        clock: () => shared.scheduler.now,
        random: shared.random,
        visibilityTimeout: VISIBILITY_S,
        retention: RETENTION_S,
      },
      shared,
    );
    this.#shared = shared;
    this.#oracles = oracles;
  }

  isHidden(messageId: string): boolean {
    const now = this.#shared.scheduler.now;
    return this.messages().some(message => message.messageId === messageId && message.visibleAt > now);
  }

  /** The queue as one process reaches it. Of several that send at once each message is that of its own sender, whenever it arrives. */
  of(sender: Sender): ReachedQueue {
    return {
      url: this.url,
      send: (...message) => this.#send(sender, ...message),
      changeVisibility: (...how) => this.changeVisibility(...how),
    };
  }

  #send(
    { life, sent }: Sender,
    ...[body, attributes, { group, delay = 0 } = {}]: Parameters<ForgetfulQueue['send']>
  ): string {
    const { plan, scheduler, nature, random, coverage, judge } = this.#shared;
    if (delay > 0) coverage.add('passes', 'delayed within the minute');
    const isLate = nature.faulty && random() < (plan.schedule?.mess.late ?? 0);
    if (isLate) coverage.add('passes', 'late');
    const late = isLate ? Math.ceil((random() * LATE_MS) / 1000) : 0;
    judge(() => {
      const message = passMessage.parse(JSON.parse(body));
      const { paces, shares } = this.#oracles;
      // During a pause a message asks whether the service answers again: that is no matter of the interval.
      if (!shares.pause) paces.sent(message, life, scheduler.wall);
      shares.sent(message, life);
    });
    sent();
    return super.send(body, attributes, { group, delay: delay + late });
  }
}
