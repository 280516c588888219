import type { GetEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import type { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { countByArn, countMessages, watchMappings } from '../../functions/schedule/watch-aws.ts';

describe('watching the event source mappings', () => {
  const lambda = (answer: object | Error) =>
    ({
      send: async ({ input }: GetEventSourceMappingCommand) => {
        if (input.UUID !== 'u-1') return { State: 'Enabled', LastProcessingResult: 'OK' };
        if (answer instanceof Error) throw answer;
        return answer;
      },
    }) as never;
  const mappings = { publish: 'u-1', route: 'u-2' };

  it.each<[object, string | undefined]>([
    [{ State: 'Enabled', LastProcessingResult: 'OK' }, undefined],
    [{ State: 'Enabled', LastProcessingResult: 'No records processed' }, undefined],
    [{ State: 'Enabled', LastProcessingResult: 'No PROBLEM' }, undefined],
    [{ State: 'Enabled' }, undefined],
    [{ State: 'Creating' }, undefined],
    [{ State: 'Enabling' }, undefined],
    [{ State: 'Updating' }, undefined],
    [{ State: 'Disabled', StateTransitionReason: 'USER_INITIATED' }, 'Disabled. USER_INITIATED'],
    [{ State: 'Disabling' }, 'Disabling.'],
    [{ State: 'Deleting' }, 'Deleting.'],
    [{}, 'unknown.'],
    [
      {
        State: 'Enabled',
        LastProcessingResult: 'PROBLEM: Lambda failed to assume your function execution role.',
      },
      'PROBLEM: Lambda failed to assume your function execution role.',
    ],
    [Object.assign(new Error('gone'), { name: 'ResourceNotFoundException' }), 'It does not exist.'],
  ])('%j: %s', async (answer, reason) => {
    const stopped = reason === undefined ? [] : [{ name: 'publish', uuid: 'u-1', reason }];
    expect(await watchMappings(lambda(answer), mappings)).toEqual(stopped);
  });

  it('says what Lambda said when it does not tell', async () => {
    await expect(watchMappings(lambda(new Error('denied')), mappings)).rejects.toThrow('denied');
    expect(await watchMappings(lambda({}), {})).toEqual([]);
  });
});

it('counting the messages of a queue counts those that somebody has in hand, too; the URL of one that is known by its ARN is asked for once', async () => {
  const asked: object[] = [];
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  const client = {
    send: async (command: GetQueueAttributesCommand | GetQueueUrlCommand) => {
      asked.push(command.input);
      if (command.constructor.name === 'GetQueueUrlCommand') return { QueueUrl: 'https://sqs/1/Undelivered' };
      return {
        Attributes: { ApproximateNumberOfMessages: '3', ApproximateNumberOfMessagesNotVisible: '2' },
      };
    },
  } as never;
  expect(await countMessages(client, 'https://sqs/1/Rejected')).toBe(5);
  const count = countByArn(client);
  expect(await count('arn:aws:sqs:eu-west-1:123456789012:Undelivered')).toBe(5);
  expect(await count('arn:aws:sqs:eu-west-1:123456789012:Undelivered')).toBe(5);
  expect(asked).toMatchObject([
    { QueueUrl: 'https://sqs/1/Rejected', AttributeNames: names },
    { QueueName: 'Undelivered', QueueOwnerAWSAccountId: '123456789012' },
    { QueueUrl: 'https://sqs/1/Undelivered' },
    { QueueUrl: 'https://sqs/1/Undelivered' },
  ]);
});
