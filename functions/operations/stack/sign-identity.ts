import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Asking, headersOf, type SignedIdentity, WHO_AM_I } from './identity.ts';

/** Of the caller, or who has them. */
export type Credentials = ConstructorParameters<typeof SignatureV4>[0]['credentials'];

/** Signs who asks: the caller's half of `who-calls.ts`. Neither the key's secret nor anything that more could be done with leaves the
 *  caller. */
export async function signIdentity(
  asking: Asking,
  credentials: Credentials,
  at: Date,
): Promise<SignedIdentity> {
  const { region } = asking;
  // The checksum would be one more header, for a body that everybody knows.
  const signer = new SignatureV4({
    ...{ credentials, region, service: 'sts', sha256: Sha256, applyChecksum: false },
  });
  const request = {
    ...{ method: 'POST', protocol: 'https:', path: '/', query: {} },
    hostname: headersOf(asking).host ?? '',
    headers: headersOf(asking),
    body: WHO_AM_I,
  };
  const { headers } = await signer.sign(request, { signingDate: at });
  const token = headers['x-amz-security-token'];
  return {
    authorization: headers.authorization ?? '',
    date: headers['x-amz-date'] ?? '',
    ...(token !== undefined && { token }),
  };
}
