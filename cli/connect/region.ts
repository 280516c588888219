import { env } from 'node:process';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from './connection.ts';

/** The region of the stack. @throws UsageError if neither the command line nor the environment names one */
export function regionOf({ region }: Place): string {
  const where = region || env.AWS_REGION || env.AWS_DEFAULT_REGION;
  if (where) return where;
  throw new UsageError(
    'The region of the stack is missing. Use --region, such as --region eu-central-1, or set AWS_REGION.',
  );
}
