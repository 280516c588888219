import { createHash } from 'node:crypto';
import * as z from 'zod';

/** A caller's proof of identity: the signature of a request to STS that only returns the caller's ARN, as Vault and EKS
 *  use it (decision 0070). All else of that request follows from what is asked, and of whom: so a signature fits this
 *  function, this request, and the next minutes. */
export const signedIdentity = z.strictObject({
  authorization: z.string().max(2048),
  /** `X-Amz-Date`. */
  date: z.string().regex(/^\d{8}T\d{6}Z$/),
  /** `X-Amz-Security-Token` of temporary credentials: opaque, but a header's value, and short enough for STS to answer. A server may
   *  reset a connection for a longer head, which would count as an outage (`who-calls.ts`). */
  token: z
    .string()
    .max(8192)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
});

export type SignedIdentity = z.infer<typeof signedIdentity>;

/** What is asked, and of whom. */
export interface Asking {
  readonly region: string;
  readonly functionName: string;
  /** As it is sent. */
  readonly request: unknown;
}

/** STS's own words for: tell who has signed this. */
export const WHO_AM_I = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Headers that are signed beside the date and the token. STS doesn't know the last two, and checks that they were signed. */
export function headersOf({ region, functionName, request }: Asking): Record<string, string> {
  return {
    host: stsHost(region),
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'x-changewire-function': functionName,
    'x-changewire-request': createHash('sha256').update(JSON.stringify(request)).digest('hex'),
  };
}

/** STS of a region. */
export function stsHost(region: string): string {
  return `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Where STS of a region is reached. */
export const stsAddress = (region: string): string => `https://${stsHost(region)}/`;

/** The function of a stack that answers operators, by name; and its aliases, for which there is a policy each. */
export const operateFunction = (stackName: string): string => `${stackName}-operate`;
export type Alias = 'look' | 'act';
