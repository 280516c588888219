import { type KeyLike, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** In the thread pool: signing takes longer than all else that is done for a message. */
const signAside = promisify(sign);

/** What SNS signs of a message to an HTTP endpoint, by its type, in this order; a field that is absent is left out. */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

/** The three kinds of message that SNS posts. */
export type MessageType = keyof typeof signedFields;

/** The string to sign that the SNS developer guide documents: each field's name and value on lines of their own. */
function stringToSign(type: MessageType, message: Readonly<Record<string, unknown>>): string {
  return signedFields[type]
    .flatMap(field => (typeof message[field] === 'string' ? [`${field}\n${message[field]}\n`] : []))
    .join('');
}

/** The message with `SignatureVersion` 2: base64 of SHA256withRSA. A key that is parsed already signs several times
 *  faster than PEM. */
export async function signed<Message extends { readonly Type: MessageType }>(
  message: Message,
  privateKey: KeyLike,
) {
  const text = Buffer.from(stringToSign(message.Type, message));
  const signature = await signAside('RSA-SHA256', text, privateKey);
  return {
    ...message,
    SignatureVersion: '2',
    Signature: signature.toString('base64'),
  };
}
