import type { Examples } from '../take-examples.ts';
import { headers } from './headers.ts';
import { componentMessages, messageNames } from './messages.ts';
import { componentSchemas, refTo } from './schemas.ts';

/** The AsyncAPI 3.0 document of what Changewire sends, by the schemas in `functions/model/event.ts`.
 *  @param version of the project */
export function asyncApiDocument(examples: Examples, version: string): Record<string, unknown> {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Changewire',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      receiver: {
        host: '{host}',
        protocol: 'https',
        description: 'The receiver of events: yours.',
        variables: {
          host: { default: 'receiver.example.com', description: 'Host, and port if it is not 443.' },
        },
      },
    },
    channels: {
      webhook: channel('webhook', 'The address in the secret of an endpoint of kind `webhook`.'),
      sns: channel('sns', 'The address of a subscription; its messages come in the envelope of SNS.'),
      snsRaw: channel('snsRaw', 'The address of a subscription with `raw`: the event alone, not signed.'),
    },
    operations: {
      sendWebhook: operation('webhook', 'Posts an event, signed', WEBHOOK, ['standardWebhooks']),
      sendSns: operation('sns', 'SNS posts an event in its envelope', SNS, ['snsSignature']),
      sendSnsRaw: operation('snsRaw', 'SNS posts an event as it is', RAW, []),
    },
    components: {
      schemas: { ...componentSchemas(), ...headers },
      messages: componentMessages(examples),
      securitySchemes: {
        standardWebhooks: {
          type: 'httpApiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'A signature by a shared secret, over id, time and body: https://www.standardwebhooks.com.',
        },
        snsSignature: {
          type: 'asymmetricEncryption',
          description:
            'An RSA signature in the body, by the key of the certificate at `SigningCertURL`: ' +
            'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html.',
        },
      },
    },
  };
}

const DESCRIPTION = `Change events of projects and tasks, as CloudEvents 1.0. What they mean: events.md.

Each event comes at least once, in any order. Drop what has an \`id\` that you know; of one record (\`source\` and
\`subject\`) drop what has a smaller \`sequence\` than you know. Ignore types that you don't know.
`;

const ANSWER = 'Keep the message, then answer 2xx within 15 seconds.';

const WEBHOOK = `${ANSWER} 410 stops the endpoint for good.

Anything else is tried again after 5 s, 30 s, 2 min, 5 min, 30 min, 2 h, 5 h, 10 h, then every 10 h, up to 3 days. \`Retry-After\` is
honoured with 429, 502, 503 and 504. Redirects are not followed.

Verify \`webhook-signature\` over the bytes of the body as they came, and refuse a \`webhook-timestamp\` that is more than
5 minutes off.
`;

const SNS_ANSWER = `${ANSWER}
SNS tries again after 5xx, 429 or no answer; not after another 4xx.
`;

const SNS = `${SNS_ANSWER}
Verify \`TopicArn\`, the host of \`SigningCertURL\` and \`Signature\`, in this order, before you visit \`SubscribeURL\` or read
\`Message\`.
`;

const RAW = `${SNS_ANSWER}
The SubscriptionConfirmation comes in the envelope. Nothing else is signed: anyone who knows the address can post. Use HTTPS
and an address that cannot be guessed.
`;

type Channel = keyof typeof messageNames;

function channel(name: Channel, description: string) {
  const messages = messageNames[name].map(message => [message, refTo('messages', message)]);
  // The address is the receiver's choice.
  return {
    address: null,
    description,
    servers: [{ $ref: '#/servers/receiver' }],
    messages: Object.fromEntries(messages),
  };
}

function operation(name: Channel, title: string, description: string, security: readonly string[]) {
  return {
    action: 'send',
    channel: { $ref: `#/channels/${name}` },
    title,
    description,
    ...(security.length > 0 && { security: security.map(scheme => refTo('securitySchemes', scheme)) }),
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    messages: messageNames[name].map(message => ({ $ref: `#/channels/${name}/messages/${message}` })),
  };
}
