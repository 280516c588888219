import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../functions/basics/clock.ts';

const TEN_YEARS = 10 * 365 * 24 * 3_600_000;
const A_DAY = 24 * 3_600_000;

/** The certificate by which receivers verify signatures, as PEM: self-signed, and made when the first
 *  receiver asks for it, because the package that makes it loads hundreds of files. Each process makes
 *  another one for the same key. Its name is made of the key, so a receiver that has one of them need not
 *  ask again. */
export interface Certificate {
  readonly name: string;
  readonly pem: () => Promise<string>;
}

export function certificateOf(privateKey: KeyObject, clock: Clock): Certificate {
  const publicKey = createPublicKey(privateKey);
  const digest = createHash('md5')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  let making: Promise<string> | undefined;
  const make = async () => {
    const { generate } = await import('selfsigned');
    const { cert } = await generate([{ name: 'commonName', value: 'sns.localhost' }], {
      keyPair: {
        privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      },
      algorithm: 'sha256',
      notBeforeDate: new Date(clock() - A_DAY),
      notAfterDate: new Date(clock() + TEN_YEARS),
    });
    return cert;
  };
  return {
    name: `SimpleNotificationService-${digest}.pem`,
    pem: () => {
      making ??= make();
      return making;
    },
  };
}
