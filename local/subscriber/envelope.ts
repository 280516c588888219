import { type KeyObject, verify } from 'node:crypto';
import { isJsonObject } from '../../functions/json.ts';
import { isMessageType, type MessageType, stringToSign } from '../sns/signature.ts';
import { Refusal } from './refusal.ts';

/** An SNS message whose signature verified: its signed fields can be relied on. */
export interface Envelope {
  readonly type: MessageType;
  readonly messageId: string;
  readonly topicArn: string;
  readonly message: string;
  readonly subscribeUrl: unknown;
}

/** Reads an SNS message and checks its version 2 signature. Refuses with 400 what is no such message, with 403 what is not
 *  signed by the key that its certificate holds. */
export async function openEnvelope(
  body: string,
  keyFor: (signingCertUrl: unknown) => Promise<KeyObject>,
): Promise<Envelope> {
  const fields = parse(body);
  const { Type, MessageId, TopicArn, Message, Signature, SignatureVersion } = fields;
  if (!isMessageType(Type) || !isText(MessageId) || !isText(TopicArn) || !isText(Message)) {
    throw new Refusal(400, 'The body is no SNS message: Type, MessageId, TopicArn or Message is missing.');
  }
  if (SignatureVersion !== '2' || !isText(Signature))
    throw new Refusal(403, 'There is no version 2 signature.');
  const key = await keyFor(fields.SigningCertURL);
  const text = Buffer.from(stringToSign(Type, fields));
  if (!verify('RSA-SHA256', text, key, Buffer.from(Signature, 'base64'))) {
    throw new Refusal(403, 'The signature does not verify.');
  }
  return {
    type: Type,
    messageId: MessageId,
    topicArn: TopicArn,
    message: Message,
    subscribeUrl: fields.SubscribeURL,
  };
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below, as for any other body that is no object.
  }
  throw new Refusal(400, 'The body is no JSON object.');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
