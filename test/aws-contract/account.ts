import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { stsAddress, WHO_AM_I } from '../../functions/operations/stack/identity.ts';
import { CREDENTIALS } from '../deployed/emulator/environment.ts';

/** Where the contracts run; from the command to its tests in `CONTRACT_OPTIONS`, as JSON. */
export interface Options {
  readonly account: string;
  readonly region: string;
  /** The names of all that is created start with it. */
  readonly prefix: string;
  /** The address of an emulator. */
  readonly endpoint?: string;
}

/** All names of all runs start with it. */
export const PREFIX = 'changewire-contract-';
export const ROLE_PATH = '/changewire-contract/';
export const ROLE_POLICY = 'contract';

export const optionsOfTests = () => JSON.parse(process.env.CONTRACT_OPTIONS ?? '{}') as Options;
export const clientConfig = ({ region, endpoint }: Pick<Options, 'region' | 'endpoint'>) => ({
  region,
  ...(endpoint !== undefined && { endpoint, credentials: CREDENTIALS }),
});
export const newName = ({ prefix }: Options) => `${prefix}-${randomUUID().slice(0, 8)}`;
export const tagsOf = ({ prefix }: Options) => ({ 'changewire-contract': prefix });
export const tagList = (options: Options) =>
  Object.entries(tagsOf(options)).map(([Key, Value]) => ({ Key, Value }));

export type Clients = ReturnType<typeof clientsOf>;

export function clientsOf(options: Pick<Options, 'region' | 'endpoint'>) {
  const config = { ...clientConfig(options), maxAttempts: 6 };
  return {
    dynamodb: new DynamoDBClient(config),
    iam: new IAMClient(config),
    lambda: new LambdaClient(config),
    sns: new SNSClient(config),
    // An emulator names its queues by an address that may lead elsewhere.
    sqs: new SQSClient({ ...config, useQueueUrlAsEndpoint: options.endpoint === undefined }),
  };
}

/** The account of the credentials. @throws when there are no credentials, or STS refuses them */
export async function accountOf({ lambda }: Clients, { region, endpoint }: Omit<Options, 'account'>) {
  const url = new URL(endpoint ?? stsAddress(region));
  const { credentials } = lambda.config;
  const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256 });
  const headers = { host: url.host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
  const request = { method: 'POST', protocol: url.protocol, hostname: url.hostname, path: '/', query: {} };
  const signed = await signer.sign({ ...request, headers, body: WHO_AM_I });
  const response = await fetch(url, { method: 'POST', headers: signed.headers, body: WHO_AM_I });
  const text = await response.text();
  const account = /<Account>(\d{12})<\/Account>/.exec(text)?.[1];
  if (account === undefined) throw new Error(`STS answered ${response.status}: ${text.slice(0, 500)}`);
  return account;
}

/** Repeats until the result is not undefined. @throws when that takes longer than this */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined>,
  seconds = 120,
): Promise<Result> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) {
    const result = await look();
    if (result !== undefined) return result;
  }
  throw new Error(`Not within ${seconds} s: ${what}.`);
}

/** The result, or undefined if the call fails with one of these errors. */
export function unless<Result>(call: Promise<Result>, names: RegExp): Promise<Result | undefined> {
  return call.catch((error: Error) => {
    if (names.test(`${error.name}: ${error.message}`)) return undefined;
    throw error;
  });
}
