import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDeliver, type Deliver } from '../../functions/create-deliver.ts';
import { sqsQueues } from '../../functions/delivery/queues.ts';
import type { LinkTemplates } from '../../functions/endpoints/chat-links.ts';
import type { EndpointKind, EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { createEndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { readSlack } from './chats/read-slack.ts';
import { readTeams } from './chats/read-teams.ts';
import { type Reply, SocketError, VirtualAgent } from './http.ts';
import { type Failing, Life } from './life.ts';
import { QueueSource } from './models/event-source.ts';
import { QueueModel } from './models/queue.ts';
import { BatchesOracle } from './oracle/batches.ts';
import { ChannelOracle } from './oracle/channel.ts';
import type { DeliveriesOracle } from './oracle/deliveries.ts';
import { SettlingOracle } from './oracle/settling.ts';
import { isAmong, isDuring, type PartlyDelivered } from './plan/partly.ts';
import { type Shared, TABLE_NAME, WORKSPACE } from './shared.ts';
import { tableClient } from './table-client.ts';

export const SIGNING_SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const ACCOUNT = 'arn:aws:sqs:eu-west-1:000000000000';
/** As deployed: infra/batching.ts and infra/endpoint.ts. */
const RUN_MS = 180_000;
const VISIBILITY_S = 1_080;
/** With more than this left of its time, a run had enough of it. */
const ENOUGH_MS = 30_000;
const LINK_TEMPLATES: LinkTemplates = [
  {
    workspace: WORKSPACE,
    project: 'https://app.example.com/{processId}/p/{projectId}',
    task: 'https://app.example.com/p/{projectId}#{taskId}',
  },
];
const BATCH: Record<EndpointKind, { size: number; window: number }> = {
  webhook: { size: 10, window: 0 },
  slack: { size: 100, window: 5_000 },
  teams: { size: 100, window: 5_000 },
};

/** One endpoint: its queues, the deliver function's runs for it, and the receiver at its end. */
export class SimulatedEndpoint {
  readonly name: string;
  readonly queue: QueueModel;
  readonly deadLetters: QueueModel;
  readonly #shared: Shared;
  readonly #kind: EndpointKind;
  readonly #deliveries: DeliveriesOracle;
  /** Of a chat's runs. */
  readonly #batches: BatchesOracle;
  readonly #source: QueueSource;
  #life: Life | undefined;
  #deliver: Deliver | undefined;
  #runs = 0;
  #isRunning = false;
  #deadline = 0;
  #died: (() => void) | undefined;
  /** Of a webhook's run. */
  #watch = new SettlingOracle([]);
  /** Messages that failed as some of several, in this run and the one before. */
  #failed = new Set<string>();
  #failedBefore = new Set<string>();

  constructor(shared: Shared, kind: EndpointKind, deliveries: DeliveriesOracle) {
    const { scheduler, random } = shared;
    const queue = (name: string) => ({
      name,
      arn: `${ACCOUNT}:${name}`,
      url: `https://sqs.eu-west-1.amazonaws.com/000000000000/${name}`,
      clock: () => scheduler.now,
      random,
      visibilityTimeout: VISIBILITY_S,
    });
    this.name = kind;
    this.#kind = kind;
    this.#shared = shared;
    this.#deliveries = deliveries;
    this.deadLetters = new QueueModel(queue(`${kind}-dead`));
    const redrive = { queue: this.deadLetters, maxReceiveCount: 1_000 };
    this.queue = new ForgetfulQueue({ ...queue(kind), deadLetters: redrive }, shared);
    this.#source = new QueueSource({
      queue: this.queue,
      batchSize: BATCH[kind].size,
      handler: event => this.#invoke(event),
    });
    const read = kind === 'slack' ? readSlack : readTeams;
    const channel = new ChannelOracle(kind, read, LINK_TEMPLATES, shared.coverage);
    this.#batches = new BatchesOracle(kind, channel.read);
  }

  get isIdle(): boolean {
    return !this.#isRunning && this.queue.messages().length === 0;
  }

  /** To be called when the queue may hold something new. */
  wake(): void {
    if (this.#isRunning) return;
    const visibleAt = this.queue.nextVisibleAt();
    if (visibleAt === undefined) return;
    this.#isRunning = true;
    const { scheduler, random } = this.#shared;
    const { window } = BATCH[this.#kind];
    scheduler.after(visibleAt - scheduler.now + window + 20 + random() * 300, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { plan, scheduler, fail } = this.#shared;
    const life = this.#alive();
    life.expect(plan.deliverer[this.#runs++] ?? []);
    this.#deadline = scheduler.now + RUN_MS;
    const timeout = scheduler.after(RUN_MS, () => life.kill());
    const died = new Promise<void>(resolve => {
      this.#died = resolve;
    });
    await Promise.race([this.#source.run(), died]).catch(fail);
    timeout();
    this.#isRunning = false;
    this.wake();
  }

  async #invoke(event: SQSEvent): Promise<SQSBatchResponse> {
    if (!this.#deliver) throw new Error('the deliverer was not started');
    this.#watch = new SettlingOracle(event.Records);
    this.#batches.begin(event.Records);
    this.#failedBefore = this.#failed;
    this.#failed = new Set();
    const answer = await this.#deliver(event, {
      getRemainingTimeInMillis: () => this.#deadline - this.#shared.scheduler.now,
    });
    this.#judge(() => (this.#kind === 'webhook' ? this.#watch.ends(answer) : this.#endBatch(answer)));
    return answer;
  }

  #endBatch({ batchItemFailures }: SQSBatchResponse): void {
    const hadTime = this.#deadline - this.#shared.scheduler.now > ENOUGH_MS;
    const isFree = hadTime && this.#life?.struck === 0 && this.#failed.size === 0;
    this.#batches.end(new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)), isFree);
  }

  /** A violation ends the world, not the request in which it is seen. */
  #judge(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#shared.fail(error);
    }
  }

  #alive(): Life {
    if (this.#life && !this.#life.isDead) return this.#life;
    const { nature, scheduler, random, log, table, wrote } = this.#shared;
    const life: Life = new Life(nature, () => this.#died?.());
    this.#life = life;
    const settings: EndpointSettings = {
      name: this.name,
      kind: this.#kind,
      secret: this.name,
      queueArn: this.queue.arn,
      queueUrl: this.queue.url,
      deadLetterUrl: this.deadLetters.url,
    };
    const url = `https://${this.name}.example/hook`;
    this.#deliver = createDeliver({
      endpoints: [settings],
      readSecret: async () =>
        JSON.stringify(this.#kind === 'webhook' ? { url, secrets: [SIGNING_SECRET] } : { url }),
      states: createEndpointStates({
        client: tableClient(life, table, () => wrote()),
        tableName: TABLE_NAME,
        patience: { clock: () => scheduler.now, random, sleep: ms => life.sleep(ms) },
      }),
      linkTemplates: LINK_TEMPLATES,
      queues: sqsQueues({ send: (command: object) => this.#send(life, command) } as unknown as SQSClient),
      clock: () => scheduler.now,
      random,
      sleep: (ms, signal) => life.sleep(ms, signal),
      allowLoopback: false,
      openAgent: () =>
        new VirtualAgent(
          life,
          () => 'endpoint.post',
          ({ body }) => this.#receive(body),
          ({ body }, { status }) => {
            if (this.#kind !== 'webhook') this.#batches.heard(body, status);
            else if (status === 200) this.#watch.took(body);
          },
        ),
      log,
      count: () => {},
    });
    return life;
  }

  #receive(body: string): Reply {
    const trouble = this.#partly(({ how }) => how !== 'dead letter', body);
    if (trouble) {
      this.#count(trouble.how, body);
      if (trouble.how === 'reset') throw new SocketError('reset');
      return { status: Number(trouble.how), headers: {}, text: Buffer.from('no') };
    }
    this.#judge(() => {
      const told = this.#kind === 'webhook' ? [{ body }] : this.#batches.took(body);
      for (const record of told) this.#deliveries.got(this.name, record.body);
    });
    return { status: 200, headers: {}, text: Buffer.from('ok') };
  }

  #send(life: Life, command: object) {
    if (command instanceof ChangeMessageVisibilityCommand) {
      const { ReceiptHandle = '', VisibilityTimeout = 0 } = command.input;
      const [, messageId = ''] = ReceiptHandle.split('/');
      const work = () => {
        if (this.#partly(({ visibility }) => visibility, messageId))
          throw this.#refused('visibility', messageId);
        this.queue.changeVisibility(ReceiptHandle, VisibilityTimeout);
      };
      return life.call('queue.visibility', work, failing);
    }
    if (!(command instanceof SendMessageCommand)) throw new Error(`the queue does not know ${command}`);
    const { MessageBody = '' } = command.input;
    const work = () => {
      if (this.#partly(({ how }) => how === 'dead letter', MessageBody))
        throw this.#refused('dead letter', MessageBody);
      this.deadLetters.send(MessageBody);
      this.#judge(() => {
        this.#batches.died(MessageBody);
        this.#deliveries.got(this.name, MessageBody);
      });
    };
    const watch = this.#watch;
    return life.call('queue.dead letter', work, failing).then(() => watch.took(MessageBody));
  }

  /** What the plan lets fail of what concerns this message now. */
  #partly(concerns: (partly: PartlyDelivered) => boolean, name: string): PartlyDelivered | undefined {
    const { plan, nature } = this.#shared;
    if (!nature.faulty) return undefined;
    return plan.partly.deliver.find(
      partly => isDuring(partly, this.#runs - 1) && concerns(partly) && isAmong(partly, name),
    );
  }

  #refused(what: 'visibility' | 'dead letter', name: string): Error {
    this.#count(what, name);
    return throttled();
  }

  #count(what: PartlyDelivered['how'] | 'visibility', name: string): void {
    const { coverage } = this.#shared;
    coverage.add('delivery.messages', what);
    if (this.#failed.size === 1 && !this.#failed.has(name))
      coverage.add('delivery.messages', 'several of a batch');
    if (this.#failedBefore.has(name) && !this.#failed.has(name))
      coverage.add('delivery.messages', 'in the next run, too');
    this.#failed.add(name);
  }
}

const throttled = () => Object.assign(new Error('Throttled'), { name: 'RequestThrottled' });
const failing: Failing<void> = (work, fault) => {
  if (fault === 'worked-then-failed') work();
  throw throttled();
};

/** A queue whose deletions get lost at times: what was delivered then comes again; and that shows a message twice at times, in
 *  one batch or in two. */
class ForgetfulQueue extends QueueModel {
  readonly #shared: Shared;

  constructor(options: ConstructorParameters<typeof QueueModel>[0], shared: Shared) {
    super(options);
    this.#shared = shared;
  }

  override receive(max: number): SQSRecord[] {
    const { plan, nature, random, coverage } = this.#shared;
    const received = super.receive(max);
    for (const { receiptHandle } of received) {
      if (!nature.faulty || random() >= plan.mess.shownTwice) continue;
      coverage.add('queue', 'message shown twice');
      this.changeVisibility(receiptHandle, 0);
    }
    return received;
  }

  override delete(receiptHandle: string): void {
    const { plan, nature, random, coverage } = this.#shared;
    if (nature.faulty && random() < plan.mess.undeleted) coverage.add('queue', 'delete failed');
    else super.delete(receiptHandle);
  }
}
