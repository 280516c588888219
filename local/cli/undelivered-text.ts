import type { Standing } from '../../functions/delivery/deliveries.ts';

/** What a start says of an endpoint that has not got everything. */
export function undeliveredText({ pending, oldest }: Standing): string {
  const since = oldest === undefined ? '' : `, since ${new Date(oldest).toISOString()}`;
  return `goes on with what is undelivered: ${pending}${since}`;
}
