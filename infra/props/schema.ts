import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as z from 'zod';
import { crossProblems } from '../../functions/config/cross-checks.ts';
import { withoutRoot } from '../../functions/config/problems.ts';
import { checkedBy } from '../../functions/config/read.ts';
import { type Config, configSchema, retention, stackName } from '../../functions/config/schema.ts';
import { object, remedies } from '../../functions/config/values.ts';
import type { SnapshotTable } from '../parts/table.ts';

const { workspaces, changes, sweep, subscriptions, endpoints, alarmEmail } = configSchema.shape;

export const propsName = stackName('a name');

const removalPolicy = z.custom<RemovalPolicy.RETAIN | RemovalPolicy.DESTROY>(
  // As the constants of CDK are written, which this module does not load.
  policy => policy === 'retain' || policy === 'destroy',
  { error: 'RemovalPolicy.RETAIN or RemovalPolicy.DESTROY' },
);

/** The properties of the construct: the keys of the file, three of them in the words of CDK, and what only an app has. */
export const propsSchema = object({
  name: propsName.optional(),
  workspaces,
  changes,
  sweep,
  subscriptions,
  endpoints,
  alarmEmail,
  alarmTopic: z.custom<ITopic>().optional(),
  logRetention: retention().default(configSchema.shape.logRetentionDays.def.defaultValue),
  encryptionKey: z.custom<IKey>().optional(),
  removalPolicy: removalPolicy.optional(),
  snapshots: z.custom<SnapshotTable>().optional(),
  subscriptionsIn: z.custom<Construct>().optional(),
}).register(remedies, {
  stackName: 'the construct has "name" for it, by default that of its stack',
  region: 'it is in the region of its stack',
});

/** The configuration that these properties are, for a Changewire of this name; or what is wrong with them, one
 *  line each, as for the file. Durations are texts here. */
export function configOfProps(
  props: unknown,
  name: string,
): { readonly config: Config } | { readonly problems: readonly string[] } {
  const configured = ({ logRetention, ...rest }: z.infer<typeof propsSchema>): Config => {
    const { workspaces, changes, sweep, subscriptions, endpoints, alarmEmail } = rest;
    const config = { workspaces, changes, sweep, subscriptions, endpoints, alarmEmail };
    return { ...config, stackName: name, logRetentionDays: logRetention };
  };
  const result = checkedBy(propsSchema, props, parsed => crossProblems(configured(parsed)));
  if ('problems' in result) return { problems: result.problems.map(withoutRoot) };
  return { config: configured(result.parsed) };
}
