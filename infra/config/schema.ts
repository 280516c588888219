import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod';
import { endpointConfig } from './endpoint.ts';
import { subscriptionConfig } from './subscription.ts';
import { list, object, text } from './values.ts';
import { interval, workspaceConfig } from './workspace.ts';

/** CloudWatch Logs takes these numbers of days and no others (9999 is CDK's word for "for ever", which nobody wants). */
const RETENTIONS = Object.values(RetentionDays).filter(
  days => typeof days === 'number' && days !== RetentionDays.INFINITE,
);

const retention = z.custom<RetentionDays>(days => RETENTIONS.some(allowed => allowed === days), {
  error: `a number of days out of ${RETENTIONS.join(', ')}`,
});

/** The `changewire` context of cdk.json. Durations arrive as text and leave as ms. */
export const configSchema = object({
  stackName: text(
    /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
    'a CloudFormation stack name: a letter, then up to 63 letters, digits and "-"',
  ).default('Changewire'),
  workspaces: list(workspaceConfig, 1, 'workspaces'),
  changes: interval().prefault('1m'),
  sweep: interval().prefault('6h'),
  subscriptions: list(subscriptionConfig, 0, 'subscriptions').default([]),
  endpoints: list(endpointConfig, 0, 'endpoints').default([]),
  logRetentionDays: retention.default(RetentionDays.ONE_MONTH),
  alarmEmail: z.email({ error: 'an e-mail address' }).optional(),
});

export type Config = z.infer<typeof configSchema>;
