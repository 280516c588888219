import { describe, expect, it } from 'vitest';
import { type TopicMessage, TopicModel } from './topic.ts';
import { topicContract } from './topic-contract.ts';

const ARN = 'arn:aws:sns:eu-west-1:1:events';

function openModel() {
  const topic = new TopicModel({ arn: ARN });
  const taken: TopicMessage[] = [];
  topic.subscribe(message => taken.push(message));
  return { topic, taken };
}

topicContract('the model', async () => {
  const { topic, taken } = openModel();
  return {
    arn: ARN,
    publishBatch: async input => topic.publishBatch(input),
    taken: async () => taken.splice(0),
  };
});

describe('the model of a topic', () => {
  const PublishBatchRequestEntries = ['a', 'b', 'c', 'd'].map(Id => ({ Id, Message: `message ${Id}` }));

  it('fails the entries that it is told to fail, now or for ever, and takes the others', () => {
    const { topic, taken } = openModel();
    const input = { TopicArn: ARN, PublishBatchRequestEntries };
    const { Successful, Failed } = topic.publishBatch(input, new Set(['b']), new Set(['d']));
    expect(Successful).toEqual([
      { Id: 'a', MessageId: 'message-1' },
      { Id: 'c', MessageId: 'message-2' },
    ]);
    expect(Failed).toEqual([
      expect.objectContaining({ Id: 'b', SenderFault: false }),
      expect.objectContaining({ Id: 'd', SenderFault: true, Code: 'InvalidParameter' }),
    ]);
    expect(taken.map(({ body }) => body)).toEqual(['message a', 'message c']);
  });

  it('tells every subscriber, before it answers', () => {
    const { topic, taken } = openModel();
    const others: string[] = [];
    topic.subscribe(({ messageId }) => others.push(messageId));
    topic.publishBatch({ TopicArn: ARN, PublishBatchRequestEntries });
    expect(others).toHaveLength(4);
    expect(taken.map(({ messageId }) => messageId)).toEqual(others);
  });
});
