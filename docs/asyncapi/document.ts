import type { Examples } from '../take-examples.ts';
import { headers } from './headers.ts';
import { componentMessages, messageNames } from './messages.ts';
import { componentSchemas, refTo } from './schemas.ts';

/** The AsyncAPI 3.0 document of all messages, from the schemas in `functions/model/event.ts`.
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
        description: 'Your receiver of events.',
        variables: {
          host: { default: 'receiver.example.com', description: 'The host, with the port unless it is 443.' },
        },
      },
    },
    channels: {
      webhook: channel('webhook', 'The URL of an endpoint of kind `webhook`.'),
      sns: channel('sns', 'The URL of a subscription. Messages have the envelope of SNS.'),
      snsRaw: channel('snsRaw', 'The URL of a subscription with `raw`: only the event, not signed.'),
    },
    operations: {
      sendWebhook: operation('webhook', 'Posts a signed event', WEBHOOK, ['standardWebhooks']),
      sendSns: operation('sns', 'SNS posts an event in its envelope', SNS, ['snsSignature']),
      sendSnsRaw: operation('snsRaw', 'SNS posts an event without an envelope', RAW, []),
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
            'A signature of id, time and body with a shared secret: https://www.standardwebhooks.com.',
        },
        snsSignature: {
          type: 'asymmetricEncryption',
          description:
            'An RSA signature in the body, with the key of the certificate at `SigningCertURL`: ' +
            'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html.',
        },
      },
    },
  };
}

const DESCRIPTION = `Change events of projects and tasks, as CloudEvents 1.0. events.md describes them.

Each event is delivered at least once, in any order. Drop events with a known \`id\`, and events with a smaller
\`sequence\` than the last one of the same record (\`source\` and \`subject\`). Ignore unknown types.
`;

const ANSWER = 'Store the message, then respond with 2xx within 15 seconds.';

const WEBHOOK = `${ANSWER} 410 stops delivery to the endpoint.

Any other response is retried after 5 s, 30 s, 2 min, 5 min, 30 min, 2 h, 5 h, 10 h, then every 10 h, up to 3 days. \`Retry-After\` is
respected with 429, 502, 503 and 504. Redirects are not followed.

Verify \`webhook-signature\` over the raw bytes of the body, and reject a \`webhook-timestamp\` that is more than 5 minutes
off.
`;

const SNS_ANSWER = `${ANSWER}
SNS retries after 5xx, 429 or no response, but not after another 4xx.
`;

const SNS = `${SNS_ANSWER}
Verify \`TopicArn\`, the host of \`SigningCertURL\` and \`Signature\`, in this order, before you visit \`SubscribeURL\` or read
\`Message\`.
`;

const RAW = `${SNS_ANSWER}
Only the SubscriptionConfirmation has the envelope and a signature: anyone who knows the URL can post events. Use HTTPS and
a URL that cannot be guessed.
`;

type Channel = keyof typeof messageNames;

function channel(name: Channel, description: string) {
  const messages = messageNames[name].map(message => [message, refTo('messages', message)]);
  // The receiver chooses the address.
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
