import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Config } from '../../functions/config/schema.ts';
import type { Handler } from './handler.ts';

/** Permission to send mails by SES from the configured identities: endpoints are added while the stack runs, so their
 *  own senders are not known. */
export function maySendMail(handler: Handler, { emailIdentities }: Pick<Config, 'emailIdentities'>): void {
  if (emailIdentities.length === 0) return;
  const { partition, region, account } = Stack.of(handler);
  handler.role.addToPolicy(
    new PolicyStatement({
      actions: ['ses:SendEmail'],
      resources: emailIdentities.map(name => `arn:${partition}:ses:${region}:${account}:identity/${name}`),
    }),
  );
}
