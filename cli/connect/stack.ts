import { env } from 'node:process';
import { UsageError } from '../../local/basics/usage-error.ts';
import { lambdaOperations } from './aws-operations.ts';
import type { Connection, Place } from './connection.ts';

/** Connects to a stack's function `operate`, which finds out from the credentials who asks. */
export function openStack(stackName: string, { region }: Place): Connection {
  const where = region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (where === undefined)
    throw new UsageError(
      'In which region is the stack? Say --region, such as --region eu-central-1, or set AWS_REGION.',
    );
  const operations = lambdaOperations({ stackName, region: where });
  const caller = { who: 'whoever these credentials are of', isProven: false };
  return { ask: request => operations(request, caller), close: async () => undefined };
}
