import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { failingWith, type Life } from './life.ts';
import { QueueModel, type SimulatedQueue } from './models/queue.ts';
import type { Shared } from './shared.ts';

/** Whether the plan lets this call fail now for this message. */
export type Refuses = (what: 'visibility', messageId: string) => boolean;

type Attributes = Readonly<Record<string, { readonly StringValue?: string | undefined } | undefined>>;

/** What a process does with a queue. */
export type ReachedQueue = Pick<SimulatedQueue, 'url' | 'send' | 'changeVisibility'>;

/** SQS as one process reaches it: `queues` by their URLs. `sent` is called when a queue has a new
 *  message. */
export function sqsClient(
  life: Life,
  queues: readonly ReachedQueue[],
  { sent, refuses = () => false }: { readonly sent: () => void; readonly refuses?: Refuses },
): SQSClient {
  const queueOf = (url: string | undefined) => {
    const queue = queues.find(one => one.url === url);
    if (!queue) throw new Error(`There is no queue ${url}`);
    return queue;
  };
  const hide = ({ input }: ChangeMessageVisibilityCommand) => {
    const { QueueUrl, ReceiptHandle = '', VisibilityTimeout = 0 } = input;
    const [, messageId = ''] = ReceiptHandle.split('/');
    if (refuses('visibility', messageId)) throw throttled();
    queueOf(QueueUrl).changeVisibility(ReceiptHandle, VisibilityTimeout);
    return {};
  };
  const route = ({ input }: SendMessageBatchCommand, isTaken: (index: number) => boolean) => {
    const { QueueUrl, Entries = [] } = input;
    const Failed = Entries.filter((_, index) => !isTaken(index)).map(({ Id }) => ({
      Id,
      SenderFault: false,
      Code: 'Busy',
    }));
    for (const [index, entry] of Entries.entries()) {
      const { MessageBody = '', MessageAttributes = {}, MessageGroupId: group, DelaySeconds: delay } = entry;
      if (isTaken(index)) queueOf(QueueUrl).send(MessageBody, textsOf(MessageAttributes), { group, delay });
    }
    sent();
    return { Failed };
  };
  const send = (command: object): Promise<unknown> => {
    if (command instanceof ChangeMessageVisibilityCommand)
      return life.call('queue.visibility', () => hide(command), failing);
    if (!(command instanceof SendMessageBatchCommand)) throw new Error(`the queue does not know ${command}`);
    const { QueueUrl = '' } = command.input;
    if (QueueUrl.endsWith('/drains'))
      return life.call('queue.wake', () => route(command, () => true), failing);
    return life.call<object>(
      QueueUrl.endsWith('/passes') ? 'queue.passes' : 'queue.route',
      () => route(command, () => true),
      (work, fault) =>
        fault === 'some-fail' ? route(command, index => index % 2 === 0) : failing(work, fault),
    );
  };
  return { send } as unknown as SQSClient;
}

const throttled = () => Object.assign(new Error('Throttled'), { name: 'RequestThrottled' });
const failing = failingWith(throttled);

function textsOf(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, value?.StringValue ?? '']),
  );
}

/** A queue that sometimes loses deletions, so that messages come again, and sometimes shows a message
 *  twice, in one batch or in two. */
export class ForgetfulQueue extends QueueModel {
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
