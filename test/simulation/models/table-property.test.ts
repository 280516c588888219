import {
  type BatchGetItemCommandOutput,
  type CancellationReason,
  paginateQuery,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenTable, openEmbedded, openModel } from '../../kit/store/tables.ts';
import { usesModel } from '../../kit/table.ts';
import type { Item } from './table.ts';
import { command } from './table-commands.ts';

let embedded: OpenTable;
let model: OpenTable;
beforeAll(async () => {
  // Without an embedded DynamoDB the model is compared with itself.
  [embedded, model] = await Promise.all([usesModel ? openModel() : openEmbedded(), openModel()]);
});
afterAll(() => embedded?.stop());

let partitions = 0;

describe('the model and the embedded DynamoDB', () => {
  it('answer any commands alike, and have the same items and stream in the end', async () => {
    const answers = { right: 0, wrong: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 25, size: 'max' }), async commands => {
        const pk = `partition ${partitions++}`;
        for (const make of commands) {
          const [expected, actual] = await Promise.all([answer(embedded, make(pk)), answer(model, make(pk))]);
          expect(actual).toEqual(expected);
          answers['error' in expected ? 'wrong' : 'right']++;
        }
        expect(await itemsOf(model, pk)).toEqual(await itemsOf(embedded, pk));
      }),
      { numRuns: 40 },
    );
    expect(await streamOf(model)).toEqual(await streamOf(embedded));
    // Sequences of commands that all fail, or all succeed, would show little.
    expect(answers.right).toBeGreaterThan(answers.wrong / 4);
    expect(answers.wrong).toBeGreaterThan(answers.right / 20);
  });
});

/** A command's result, as far as code may look at it. */
async function answer({ client }: OpenTable, one: object): Promise<object> {
  try {
    const output = await (client.send as (command: object) => Promise<object>).call(client, one);
    return inAnyOrder(output);
  } catch (thrown) {
    const { name, CancellationReasons: reasons } = thrown as Error & {
      CancellationReasons?: CancellationReason[];
    };
    return { error: name, ...(reasons && { reasons: reasons.map(({ Code }) => Code) }) };
  }
}

/** The answer to a batch has no order. */
function inAnyOrder(output: BatchGetItemCommandOutput | object): object {
  const { $metadata, ...answered } = { $metadata: {}, ...output };
  if (!('Responses' in answered)) return answered;
  const sorted = Object.values(answered.Responses ?? {}).map(items => items.map(text).sort());
  return { ...answered, Responses: sorted };
}

function text(item: object): string {
  return JSON.stringify(Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)));
}

async function itemsOf({ client, tableName }: OpenTable, pk: string): Promise<Item[]> {
  const query = {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  };
  const pages = await Array.fromAsync(paginateQuery({ client }, query));
  return pages.flatMap(({ Items = [] }) => Items);
}

/** The stream by item, without the records that the embedded DynamoDB writes for changes of nothing
 *  (table.test.ts). */
async function streamOf(table: OpenTable): Promise<object> {
  const images = new Map<string, string>();
  const seen: Record<string, unknown[]> = {};
  for (const { eventName, dynamodb } of await table.stream()) {
    const { Keys = {}, NewImage } = dynamodb as NonNullable<DynamoDBRecord['dynamodb']>;
    const place = `${Keys.pk?.S} ${Keys.sk?.S}`;
    const image = NewImage === undefined ? '' : text(NewImage);
    if (images.get(place) === image) continue;
    images.set(place, image);
    seen[place] = [...(seen[place] ?? []), [eventName, image]];
  }
  return seen;
}
