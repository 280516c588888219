import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { SnapshotTable } from '../parts/table.ts';
import type { ChangesProps } from './changes.ts';
import type { EndpointProps } from './endpoint.ts';
import type { SubscriptionProps } from './subscription.ts';
import type { WorkspaceProps } from './workspace.ts';

/** Properties of Changewire. A duration is a `Duration`, or a text as in the file: `"90s"`, `"1m"`, `"6h"`, `"1d"`.
 *  All but the constructs is bundled with the functions' code, so it must be known while the app is synthesised. */
export interface ChangewireProps {
  /** By which people find it: the function `<name>-operate`, which the command `changewire` asks, its
   *  alarms, metrics, dashboard, schedule group, and the path of the endpoints' secrets. A letter, then up to 55
   *  letters, digits and "-"; unique within account and region.
   *  @default - the name of the stack */
  readonly name?: string;

  /** What is polled: one entry for each set of credentials on one instance of the service. */
  readonly workspaces: readonly WorkspaceProps[];

  /** How often a process is asked for changes: always after the same time (5 seconds to 24 hours), or by what
   *  was found. A process may say otherwise.
   *  @default "1m" */
  readonly changes?: Duration | string | ChangesProps;

  /** How often all projects of a process are compared, which finds deletions: a minute to 24 hours. A process may
   *  say otherwise.
   *  @default "6h" */
  readonly sweep?: Duration | string;

  /** HTTP(S) receivers that SNS itself delivers to.
   *  @default [] */
  readonly subscriptions?: readonly SubscriptionProps[];

  /** Signed webhooks, Slack and Teams channels. More can be added while it runs, by `npx changewire endpoints`.
   *  @default [] */
  readonly endpoints?: readonly EndpointProps[];

  /** Who gets the alarms by mail; AWS asks that address for its consent first.
   *  @default - nobody: subscribe to `alarmTopic` */
  readonly alarmEmail?: string;

  /** The topic that takes the alarms. CloudWatch must be allowed to publish to it: a topic without a policy of
   *  its own allows that, one with `enforceSSL` or with AWS's own key does not. Nothing of it is changed.
   *  @default - one is made */
  readonly alarmTopic?: ITopic;

  /** How long the functions' logs are kept, in days; not `INFINITE`.
   *  @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;

  /** The key that encrypts the table, the topic and the queues. What uses them is permitted to use it; for SNS,
   *  a statement is added to its policy, or, where that policy is not part of the app, you are warned.
   *  @default - the keys of AWS, which cost nothing */
  readonly encryptionKey?: IKey;

  /** What becomes of the table, and of the queues with what nobody settled yet, when the stack is deleted.
   *  `RETAIN` also protects the table against deletion.
   *  @default RemovalPolicy.RETAIN */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY;

  /** The table, made elsewhere: in another stack it outlives this one. One table serves one Changewire.
   *  `encryptionKey` and `removalPolicy` are then those that it was made with.
   *  @default - one is made */
  readonly snapshots?: SnapshotTable;

  /** Where the native subscriptions are made, such as a stack of their own: a receiver that is dead may fail the
   *  deployment of its stack. A scope takes the subscriptions of one Changewire.
   *  @default - in this construct */
  readonly subscriptionsIn?: Construct;
}
