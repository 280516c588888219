import { findBinary } from './binary.ts';
import { startChild } from './child.ts';
import { freePort } from './free-port.ts';

/** What the SDK's DynamoDB and DynamoDB Streams clients are made with. */
export interface ClientOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export function clientOptions(endpoint: string): ClientOptions {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { endpoint, region: 'us-east-1', credentials };
}

export interface EmbeddedDynamoDb {
  readonly endpoint: string;
  readonly clientOptions: ClientOptions;
  stop(): Promise<void>;
}

/** Starts the embedded DynamoDB on 127.0.0.1, in memory.
 *  @throws when its package is not there for this platform: see `hasEmbedded` */
export async function startDynamoDb(): Promise<EmbeddedDynamoDb> {
  const binary = findBinary();
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      const { stop } = await startChild({ binary, port });
      const endpoint = `http://127.0.0.1:${port}`;
      return { endpoint, clientOptions: clientOptions(endpoint), stop };
    } catch (error) {
      // Another program may have taken the free port before the child did.
      if (attempt === 3) throw error;
    }
  }
}
