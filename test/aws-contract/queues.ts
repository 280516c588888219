import { CreateQueueCommand, DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { OpenQueue, Received } from '../simulation/models/queue-contract.ts';
import { arnOf, openQueueOn } from '../simulation/models/queue-sqs.ts';
import { type Clients, newName, type Options, tagsOf } from './account.ts';

export interface Queue {
  readonly url: string;
  readonly arn: string;
}

export async function createQueue(
  { sqs }: Clients,
  options: Options,
  Attributes: Record<string, string> = {},
): Promise<Queue> {
  const command = new CreateQueueCommand({ QueueName: newName(options), Attributes, tags: tagsOf(options) });
  const { QueueUrl: url = '' } = await sqs.send(command);
  return { url, arn: await arnOf(sqs, url) };
}

/** Takes messages out of a queue; waits for some up to a second. @returns their bodies */
export async function take({ sqs }: Clients, QueueUrl: string): Promise<string[]> {
  const asked = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1, VisibilityTimeout: 600 };
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...asked }));
  if (Messages.length === 0) return [];
  const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return Messages.map(({ Body = '' }) => Body);
}

/** SQS samples its servers: only when several receives in a row find nothing, nothing is visible. */
const EMPTY_RECEIVES = 3;

/** The queues of the contract. Their time runs slower than ours by this factor: a second of the contract would
 *  be over on AWS before its messages are received. */
export function openQueues(clients: Clients, options: Options, slower: number): OpenQueue {
  // What tests a limit remains as it is.
  const seconds = (count: number) => (count > 0 && count < 60 ? count * slower : count);
  const slowly = (message: Received): Received => {
    const attributes = Object.entries(message.attributes).map(([name, value]) => [
      name,
      name.endsWith('Timestamp') ? String(Number(value) / slower) : value,
    ]);
    return { ...message, attributes: Object.fromEntries(attributes) };
  };
  const patiently = (receive: (max: number) => Promise<Received[]>) => async (max: number) => {
    const received: Received[] = [];
    let empty = 0;
    do {
      const more = await receive(max - received.length);
      empty = more.length === 0 ? empty + 1 : 0;
      received.push(...more.map(slowly));
    } while (received.length < max && empty < EMPTY_RECEIVES);
    return received;
  };
  const create = (attributes: Record<string, string>) => createQueue(clients, options, attributes);
  const open = openQueueOn(clients.sqs, create, slower);
  return async wanted => {
    const queue = await open(wanted);
    return {
      ...queue,
      send: (body, attributes, { delay, ...more } = {}) =>
        queue.send(body, attributes, { ...more, ...(delay !== undefined && { delay: seconds(delay) }) }),
      receive: patiently(queue.receive),
      receiveDeadLetters: patiently(queue.receiveDeadLetters),
      changeVisibility: (handle, time) => queue.changeVisibility(handle, seconds(time)),
      now: () => queue.now() / slower,
    };
  };
}
