import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';

/** What the function does with a batch because an item of it says so. `unknown`: it lists the last
 *  item, and an identifier that no item has. `no list`: its answer has no list of failures. */
export type Answer = 'failed' | 'unknown' | 'throws' | 'no list';

/** An item of a source. */
export interface Item {
  readonly name: string;
  /** For the first attempt, the second, and so on; later attempts succeed. */
  readonly answers?: readonly Answer[];
  /** On AWS, the address of the queue that the function sends its batches to. */
  readonly results?: string;
}

/** The items of a batch, and what the function answers.
 *  @param seen how often each record of a stream came; messages have a count of their own */
export function respond(records: readonly (SQSRecord | DynamoDBRecord)[], seen: Map<string, number>) {
  const items = records.map(record => {
    const isMessage = 'body' in record;
    const identifier = (isMessage ? record.messageId : record.dynamodb?.SequenceNumber) ?? '';
    const item = JSON.parse((isMessage ? record.body : record.dynamodb?.NewImage?.item?.S) ?? '') as Item;
    const before = seen.get(identifier) ?? 0;
    seen.set(identifier, before + 1);
    const attempt = isMessage ? Number(record.attributes.ApproximateReceiveCount) : before + 1;
    return { ...item, identifier, answer: item.answers?.[attempt - 1] };
  });
  const says = (answer: Answer) => items.some(item => item.answer === answer);
  const failed = items.filter(item => item.answer === 'failed').map(item => item.identifier);
  return {
    names: items.map(({ name }) => name),
    results: items[0]?.results ?? '',
    answer() {
      if (says('throws')) throw new Error('An item says so.');
      if (says('no list')) return {};
      const identifiers = says('unknown') ? [items.at(-1)?.identifier, '1'] : failed;
      return { batchItemFailures: identifiers.map(itemIdentifier => ({ itemIdentifier })) };
    },
  };
}
