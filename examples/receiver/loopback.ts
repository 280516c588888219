import type SnsPayloadValidator from 'sns-payload-validator';
import type { SnsMessage } from './sns-signature.ts';

/** The library's own store of certificates; its types don't tell. */
interface CertificateCache {
  readonly certCache: { set(url: string, certificate: string): void };
}

const CERTIFICATE = /^http:\/\/127\.0\.0\.1:\d+(\/SimpleNotificationService-[a-zA-Z0-9]{32}\.pem)$/;
/** Where no region is: a certificate of this machine is never taken for one of AWS. */
const NOWHERE = 'https://sns.loopback.amazonaws.com';

/** For trying things out with a topic on this machine (`npm start -- --subscribe …`): fetches its certificate, and gives
 *  it to the library under an address that the library takes. `SigningCertURL` is not signed, so it may be changed. */
export function loopbackCertificates() {
  const fetched = new Map<string, Promise<string>>();
  return async (validator: SnsPayloadValidator, message: SnsMessage): Promise<SnsMessage | undefined> => {
    const url = message.SigningCertURL;
    const path = CERTIFICATE.exec(url)?.[1];
    if (path === undefined) return undefined;
    if (fetched.size > 10) fetched.clear();
    const certificate = fetched.get(url) ?? fetchText(url);
    fetched.set(url, certificate);
    certificate.catch(() => fetched.delete(url));
    (validator as unknown as CertificateCache).certCache.set(`${NOWHERE}${path}`, await certificate);
    return { ...message, SigningCertURL: `${NOWHERE}${path}` };
  };
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`The certificate's address answered ${response.status}`);
  return response.text();
}

/** True for an address that confirms a subscription to a topic on this machine. */
export function isLoopback(url: string): boolean {
  return /^http:\/\/127\.0\.0\.1:\d+\//.test(url);
}
