import SnsPayloadValidator from 'sns-payload-validator';
import { certificates } from './certificates.ts';
import { Refusal } from './refusal.ts';
import type { Topic } from './senders.ts';

/** An SNS message with a valid signature. */
export type SnsMessage = SnsPayloadValidator.SnsPayload;

/** The library's store of certificates, which its types lack. */
interface CertificateCache {
  readonly certCache: { set(url: string, certificate: string): void };
}

const TEXTS = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SigningCertURL'];
const NAME = /^SimpleNotificationService-[a-zA-Z0-9]{32}\.pem$/;
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+\//;

/** Verifies SNS messages. It fetches certificates itself: the library would accept and cache an error page.
 *  @param allowLoopback also accepts certificates from this machine, for a topic that runs here; not for production */
export function snsVerifier(allowLoopback: boolean) {
  const validator = new SnsPayloadValidator({ maxCerts: 10 });
  const { certCache } = validator as unknown as CertificateCache;
  const certificateAt = certificates();

  /** @throws Refusal 403 if the signature is missing or invalid, 503 if the certificate is not available now */
  return async (fields: Record<string, unknown>, { home }: Topic): Promise<SnsMessage> => {
    const missing = TEXTS.find(name => typeof fields[name] !== 'string');
    if (missing !== undefined) throw new Refusal(403, `The SNS message has no ${missing}.`);
    // Version 1 is SHA-1.
    if (fields.SignatureVersion !== '2') throw new Refusal(403, 'SignatureVersion is not 2.');
    const message = fields as unknown as SnsMessage;
    const url = message.SigningCertURL;
    // The library accepts any host of SNS; the messages of a topic are signed in its region.
    const place = allowLoopback ? (LOOPBACK.exec(url)?.[0] ?? home) : home;
    const name = url.slice(place.length);
    if (!url.startsWith(place) || !NAME.test(name)) {
      throw new Refusal(403, `Invalid SigningCertURL: it is not at ${home}.`);
    }
    const certificate = await certificateAt(url).catch(() => {
      throw new Refusal(503, 'The certificate could not be fetched; try again.');
    });
    // `SigningCertURL` is not signed: so the library can read the certificate from its store, under this address.
    certCache.set(home + name, certificate);
    return validator.validate({ ...message, SigningCertURL: home + name }).catch(error => {
      throw new Refusal(403, `${error.message}.`);
    });
  };
}
