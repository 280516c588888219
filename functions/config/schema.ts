import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { endpointConfig, subscriptionConfig } from './endpoint.ts';
import { address, duration, key, list, network, object, text, whole } from './values.ts';
import { changesInterval, sweepInterval, workspaceConfig } from './workspace.ts';

/** The numbers of days that CloudWatch Logs accepts. They are listed because the local run reads
 *  configurations, too, and loading CDK takes seconds; a test compares them with CDK's. */
export const RETENTIONS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const satisfies readonly RetentionDays[];
const DEFAULT_RETENTION_DAYS = 30;

export const retention = () =>
  z.custom<RetentionDays>(days => RETENTIONS.some(allowed => allowed === days), {
    error: `a number of days out of ${RETENTIONS.join(', ')}`,
  });

/** Of SES. Neither a path nor a wildcard, because it is a part of an ARN. */
const identity = () =>
  text(
    /^(?:[A-Za-z0-9!#$%&'+=^_`{|}~.-]+@)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/,
    'a domain or an e-mail address, such as "example.com"',
  );

/** A valid stack name. The longest derived name, `<name>-operate` of a function, may have 64 characters. */
export const stackName = (what: string) =>
  text(/^[A-Za-z][A-Za-z0-9-]{0,55}$/, `${what}: a letter, then up to 55 letters, digits and "-"`);

/** One stack of the `changewire` context of cdk.json. Durations arrive as text and leave as ms. */
export const configSchema = object({
  stackName: key(
    stackName('a CloudFormation stack name').default('Changewire'),
    'Alarms and metrics carry its name, so that two stacks in one account do not clash.',
  ),
  region: key(
    text(/^[a-z]{2}(-[a-z]+)+-[0-9]$/, 'the name of an AWS region, such as "eu-central-1"').optional(),
    'The region of the stack and all its data.',
    'the region of your AWS credentials',
  ),
  workspaces: key(
    list(workspaceConfig, 1, 'workspaces'),
    'One entry for each set of credentials on one instance of the service.',
  ),
  changes: key(
    changesInterval().prefault('1m'),
    'The time between two `changes` passes of a process: [fixed or adaptive](#polling-intervals).',
  ),
  sweep: key(
    sweepInterval().prefault('6h'),
    'The time between two sweeps of a process. A sweep re-reads the whole process and finds deletions.',
  ),
  subscriptions: key(
    list(subscriptionConfig, 0, 'subscriptions').default([]),
    'HTTP(S) receivers to which SNS delivers.',
  ),
  endpoints: key(list(endpointConfig, 0, 'endpoints').default([]), 'Receivers to which Changewire delivers.'),
  networks: key(
    list(network(), 0, 'networks').default([]),
    'Your [own networks](networks.md), in which endpoints may be, over http too.',
  ),
  keep: key(
    object({
      journal: key(
        duration('2d', '365d').prefault('30d'),
        'How long events are kept, for replays, `events` and `verify`.',
      ),
      attempts: key(duration('1d', '90d').prefault('7d'), 'How long attempts of deliveries are kept.'),
    }).prefault({}),
    'How long events and attempts are [kept](privacy.md#keep).',
  ),
  proxy: key(
    address('http').optional(),
    'The HTTP [proxy](networks.md#a-proxy) through which the service and endpoints are reached, except those in `networks`.',
    'none',
  ),
  pollMemory: key(
    whole(512, 10_240).default(512),
    'The memory of the poll function in MiB. [Very large processes](#how-large-a-process-may-be) need more.',
  ),
  logRetentionDays: key(
    retention().default(DEFAULT_RETENTION_DAYS),
    'How many days CloudWatch keeps the logs of the functions.',
  ),
  emailIdentities: key(
    list(identity(), 0, 'identities').default([]),
    'The identities of SES, domains or addresses, from which [e-mail](email.md) may be sent by `ses:`.',
  ),
  alarmEmail: key(
    z.email({ error: 'an e-mail address' }).optional(),
    'The address that gets the alarms. AWS first asks it for consent.',
    'none: subscribe to the alarm topic',
  ),
});

/** The part for the functions: without settings that only a deployment uses. */
export const deployedSchema = configSchema.omit({
  stackName: true,
  region: true,
  pollMemory: true,
  logRetentionDays: true,
  emailIdentities: true,
  alarmEmail: true,
});

/** Several stacks, each with its own workspaces: in one region or in several. */
export const configsSchema = list(configSchema, 1, 'stacks');

export type Config = z.infer<typeof configSchema>;
/** A configuration as it is written: durations as text, defaults omitted. */
export type ConfigInput = z.input<typeof configSchema>;
/** The same for the part of the functions. */
export type DeployedInput = z.input<typeof deployedSchema>;

/** The name of the stack with the table, for the stack of this name. */
export function tableStackName(stackName: string): string {
  return `${stackName}-Table`;
}

/** The name of the stack with the native subscriptions. */
export function subscriptionsStackName(stackName: string): string {
  return `${stackName}-Subscriptions`;
}
