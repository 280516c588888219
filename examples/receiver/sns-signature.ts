import SnsPayloadValidator from 'sns-payload-validator';
import { loopbackCertificates } from './loopback.ts';
import { Refusal } from './refusal.ts';

/** An SNS message whose signature is right. */
export type SnsMessage = Awaited<ReturnType<SnsPayloadValidator['validate']>>;

const PATIENCE_MS = 10_000;
const RENEW_EVERY_MS = 60_000;
const TEXTS = ['Type', 'MessageId', 'TopicArn', 'Message', 'Timestamp', 'Signature', 'SigningCertURL'];

/** Verifies SNS messages. The library takes certificates from `https://sns.<region>.amazonaws.com` only.
 *  @param allowLoopback also takes them from this machine: for a topic that runs here, never in production */
export function snsVerifier(allowLoopback: boolean) {
  const newValidator = () => new SnsPayloadValidator({ maxCerts: 10 });
  const fromLoopback = allowLoopback ? loopbackCertificates() : undefined;
  let validator = newValidator();
  let renewedAt = Number.NEGATIVE_INFINITY;
  const validate = async (message: SnsMessage) => {
    const local = await fromLoopback?.(validator, message);
    return within(PATIENCE_MS, validator.validate(local ?? message));
  };

  /** @throws Refusal 400 or 403 when it is not signed as it should be, 503 when the certificate can't be had now */
  return async (fields: Record<string, unknown>): Promise<SnsMessage> => {
    const missing = TEXTS.find(name => typeof fields[name] !== 'string');
    if (missing !== undefined) throw new Refusal(403, `The SNS message has no ${missing}.`);
    // Version 1 is SHA-1.
    if (fields.SignatureVersion !== '2') throw new Refusal(403, 'The signature is not of version 2.');
    const message = fields as unknown as SnsMessage;
    return validate(message)
      .catch(error => {
        // The library keeps whatever it was answered as certificate, an error page too: so it is asked again, afresh.
        if (!isInvalid(error) || Date.now() - renewedAt < RENEW_EVERY_MS) throw error;
        validator = newValidator();
        renewedAt = Date.now();
        return validate(message);
      })
      .catch(error => {
        if (isInvalid(error)) throw new Refusal(403, `${error.message}.`);
        throw new Refusal(503, 'The certificate could not be fetched; try again.');
      });
  };
}

/** The library says "Invalid …" of a message; anything else is the network's fault. */
function isInvalid(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('Invalid ');
}

async function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`Nothing within ${ms} ms`)), ms);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
