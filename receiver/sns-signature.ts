import SnsPayloadValidator from 'sns-payload-validator';
import { certificates } from './certificates.ts';
import { Refusal } from './refusal.ts';
import type { Topic } from './senders.ts';

/** An SNS message whose signature is right. */
export type SnsMessage = SnsPayloadValidator.SnsPayload;

/** The library's own store of certificates; its types don't tell. */
interface CertificateCache {
  readonly certCache: { set(url: string, certificate: string): void };
}

const TEXTS = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SigningCertURL'];
const NAME = /^SimpleNotificationService-[a-zA-Z0-9]{32}\.pem$/;
const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d+\//;

/** Verifies SNS messages. It fetches certificates itself: the library would take, and keep, an error page for one.
 *  @param allowLoopback also takes them from this machine: for a topic that runs here, never in production */
export function snsVerifier(allowLoopback: boolean) {
  const validator = new SnsPayloadValidator({ maxCerts: 10 });
  const { certCache } = validator as unknown as CertificateCache;
  const certificateAt = certificates();

  /** @throws Refusal 403 when it is not signed as it should be, 503 when the certificate can't be had now */
  return async (fields: Record<string, unknown>, { home }: Topic): Promise<SnsMessage> => {
    const missing = TEXTS.find(name => typeof fields[name] !== 'string');
    if (missing !== undefined) throw new Refusal(403, `The SNS message has no ${missing}.`);
    // Version 1 is SHA-1.
    if (fields.SignatureVersion !== '2') throw new Refusal(403, 'The signature is not of version 2.');
    const message = fields as unknown as SnsMessage;
    const url = message.SigningCertURL;
    // The library takes any host that may be SNS's; a topic is signed for in its own region.
    const place = allowLoopback ? (LOOPBACK.exec(url)?.[0] ?? home) : home;
    const name = url.slice(place.length);
    if (!url.startsWith(place) || !NAME.test(name)) {
      throw new Refusal(403, `Invalid SigningCertURL: it does not lead to ${home}.`);
    }
    const certificate = await certificateAt(url).catch(() => {
      throw new Refusal(503, 'The certificate could not be fetched; try again.');
    });
    // `SigningCertURL` is not signed: the library finds the certificate where it looks for one, wherever it is from.
    certCache.set(home + name, certificate);
    return validator.validate({ ...message, SigningCertURL: home + name }).catch(error => {
      throw new Refusal(403, `${error.message}.`);
    });
  };
}
