import { lambdaOperations } from './aws-operations.ts';
import type { Connection, Place } from './connection.ts';
import { regionOf } from './region.ts';

/** Connects to a stack's function `operate`, which finds out from the credentials who asks. */
export function openStack(stackName: string, place: Place): Connection {
  const operations = lambdaOperations({ stackName, region: regionOf(place) });
  const caller = { who: 'whoever these credentials are of', isProven: false };
  return { ask: request => operations(request, caller), close: async () => undefined };
}
