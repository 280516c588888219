import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { ChangeRecord } from '../../store/store.ts';

type Client = Pick<LambdaClient, 'send'>;

/** Has the publish function publish change records, which it takes for news of the table's stream.
 *  @returns how many of them were published, the first ones */
export async function publishAgain(
  client: Client,
  FunctionName: string,
  records: readonly ChangeRecord[],
): Promise<number> {
  const Records = records.map(({ pk, sk, encoded }, place) => {
    const keys = { pk: { S: pk }, sk: { S: sk } };
    const NewImage = { ...keys, events: { B: Buffer.from(encoded).toString('base64') } };
    // The one of the first that was not published comes back.
    const dynamodb = { Keys: keys, NewImage, SequenceNumber: String(place) };
    return { eventID: String(place), eventName: 'INSERT', dynamodb };
  });
  const { FunctionError, Payload } = await client.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify({ Records }) }),
  );
  const text = Buffer.from(Payload ?? []).toString();
  if (FunctionError !== undefined) throw new Error(`The publish function failed: ${text.slice(0, 500)}`);
  const { batchItemFailures } = JSON.parse(text) as { batchItemFailures: { itemIdentifier: string }[] };
  return Math.min(records.length, ...batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier)));
}
