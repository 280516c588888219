import { createHash } from 'node:crypto';
import * as z from 'zod';

/** A caller's proof of identity: the signature of an STS request that only returns the caller's ARN, as in Vault and
 *  EKS (decision 0070). The rest of the STS request follows from the function and the request, so the signature is
 *  valid only for these, and for some minutes. */
export const signedIdentity = z.strictObject({
  authorization: z.string().max(2048),
  /** `X-Amz-Date`. */
  date: z.string().regex(/^\d{8}T\d{6}Z$/),
  /** `X-Amz-Security-Token` of temporary credentials. Limited, because a server may reset a connection for a longer
   *  head, which would count as an outage (`who-calls.ts`). */
  token: z
    .string()
    .max(8192)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
});

export type SignedIdentity = z.infer<typeof signedIdentity>;

interface Asking {
  readonly region: string;
  readonly functionName: string;
  /** As it is sent. */
  readonly request: unknown;
}

/** STS's request for the identity of the signer. */
export const WHO_AM_I = 'Action=GetCallerIdentity&Version=2011-06-15';

/** Headers that are signed besides the date and the token. STS ignores the last two, but checks their signature. */
export function headersOf({ region, functionName, request }: Asking): Record<string, string> {
  return {
    host: stsHost(region),
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'x-changewire-function': functionName,
    'x-changewire-request': createHash('sha256').update(JSON.stringify(request)).digest('hex'),
  };
}

export function stsHost(region: string): string {
  return `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

export const stsAddress = (region: string): string => `https://${stsHost(region)}/`;

/** The name of a stack's function for operators, and its aliases, each with its own policy. */
export const operateFunction = (stackName: string): string => `${stackName}-operate`;
export type Alias = 'look' | 'act' | 'pull';
