import {
  type PublishBatchCommandInput,
  type PublishBatchCommandOutput,
  type PublishBatchRequestEntry,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../../../functions/topic/send-batch.ts';
import type { TopicMessage } from './topic.ts';

/** A new topic under test, with one subscriber. */
export interface TopicSubject {
  readonly arn: string;
  publishBatch(
    input: PublishBatchCommandInput,
  ): Promise<Pick<PublishBatchCommandOutput, 'Successful' | 'Failed'>>;
  /** What the subscriber got since the last call. */
  taken(): Promise<readonly TopicMessage[]>;
}

export type OpenTopic = () => Promise<TopicSubject>;

const LIMIT = 256 * 1024;

const text = (StringValue: string) => ({ DataType: 'String', StringValue });
const entry = (Id: string, Message = 'x', more: Partial<PublishBatchRequestEntry> = {}) => ({
  Id,
  Message,
  ...more,
});

/** The name of the SNS error that publishing ends with; nothing may have been taken then. */
async function errorOf(topic: TopicSubject, entries: PublishBatchRequestEntry[], arn = topic.arn) {
  const error = await topic.publishBatch({ TopicArn: arn, PublishBatchRequestEntries: entries }).then(
    ({ Failed = [] }) => Failed.map(({ Id, Code }) => `${Id} failed: ${Code}`).join(),
    reason => reason,
  );
  expect(await topic.taken()).toEqual([]);
  if (typeof error === 'string') return error || 'no error';
  expect(error).toBeInstanceOf(SNSServiceException);
  return error.name;
}

/** Publishes entries of which none may fail. */
async function publish(topic: TopicSubject, PublishBatchRequestEntries: PublishBatchRequestEntry[]) {
  const answer = await topic.publishBatch({ TopicArn: topic.arn, PublishBatchRequestEntries });
  expect(answer.Failed ?? []).toEqual([]);
  return answer.Successful ?? [];
}

const CASES = {
  'what is published comes as it was: each entry with an id of its own, its text and its attributes':
    async open => {
      const topic = await open();
      const MessageAttributes = {
        eventType: text('task.updated'),
        processId: text('größe <&> 🎉'),
        changedFields: { DataType: 'String.Array', StringValue: '["a","b"]' },
      };
      const entries = [entry('0', '{"a":"<&>\\n 🎉 \\ud800"}', { MessageAttributes }), entry('1', 'second')];
      const successful = await publish(topic, entries);
      expect(successful.map(({ Id }) => Id)).toEqual(['0', '1']);
      expect(new Set(successful.map(({ MessageId }) => MessageId)).size).toBe(2);
      const taken = await topic.taken();
      expect(taken.toSorted((left, right) => right.body.length - left.body.length)).toEqual([
        {
          messageId: successful[0]?.MessageId,
          body: '{"a":"<&>\\n 🎉 \\ud800"}',
          attributes: { eventType: 'task.updated', processId: 'größe <&> 🎉', changedFields: '["a","b"]' },
        },
        { messageId: successful[1]?.MessageId, body: 'second', attributes: {} },
      ]);
    },

  'a batch has one to ten entries': async open => {
    const topic = await open();
    const entries = Array.from({ length: 11 }, (_, index) => entry(String(index)));
    expect(await errorOf(topic, [])).toBe('EmptyBatchRequestException');
    expect(await errorOf(topic, entries)).toBe('TooManyEntriesInBatchRequestException');
    expect(await publish(topic, entries.slice(1))).toHaveLength(10);
  },

  'entries have ids of their own': async open => {
    const topic = await open();
    expect(await errorOf(topic, [entry('a'), entry('b'), entry('a')])).toBe(
      'BatchEntryIdsNotDistinctException',
    );
  },

  'a topic that is not there takes nothing': async open => {
    const topic = await open();
    expect(await errorOf(topic, [entry('0')], `${topic.arn}-other`)).toBe('NotFoundException');
  },

  'a message of 256 KB is taken, counted in bytes, with the names, types and values of its attributes':
    async open => {
      const topic = await open();
      const MessageAttributes = { eventType: text('größe') };
      const Message = 'ä'
        .repeat(1000)
        .padEnd(LIMIT - 1000 - bytesOf({ Message: '', MessageAttributes }), 'x');
      expect(bytesOf({ Message, MessageAttributes })).toBe(LIMIT);
      await publish(topic, [entry('0', Message, { MessageAttributes })]);
    },

  'a message of more than that is not, nor is what comes with it': async open => {
    const topic = await open();
    const MessageAttributes = { eventType: text('größe') };
    const Message = 'x'.repeat(LIMIT + 1 - bytesOf({ Message: '', MessageAttributes }));
    const entries = [entry('0', Message, { MessageAttributes }), entry('1')];
    expect(await errorOf(topic, entries)).toBe('BatchRequestTooLongException');
  },

  'all messages of a batch together have 256 KB at most': async open => {
    const topic = await open();
    const half = 'x'.repeat(LIMIT / 2);
    expect(await publish(topic, [entry('0', half), entry('1', half)])).toHaveLength(2);
    await topic.taken();
    expect(await errorOf(topic, [entry('0', half), entry('1', `${half}x`)])).toBe(
      'BatchRequestTooLongException',
    );
  },

  'an entry without a message makes SNS refuse them all': async open => {
    const topic = await open();
    expect(await errorOf(topic, [entry('0'), entry('1', '')])).toBe('InvalidParameterException');
  },

  'an attribute without a value makes SNS refuse them all': async open => {
    const topic = await open();
    const entries = [entry('0'), entry('1', 'x', { MessageAttributes: { a: text('') } })];
    expect(await errorOf(topic, entries)).toBe('InvalidParameterValueException');
  },
} satisfies Record<string, (open: OpenTopic) => Promise<void>>;

/** How SNS behaves, as far as the project relies on it: one suite for the model and for SNS. */
export function topicContract(name: string, open: OpenTopic): void {
  describe(`a topic in ${name}`, () => {
    for (const [title, run] of Object.entries(CASES)) it(title, () => run(open));
  });
}
