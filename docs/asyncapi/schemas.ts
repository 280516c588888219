import { eventSchemas, jsonSchemas } from '../../functions/model/event.ts';

const text = (description: string) => ({ type: 'string', description });
export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The schemas of event types, from `functions/model/event.ts`, and of SNS messages. AsyncAPI uses draft 7, with shared
 *  parts under `components`. */
export function componentSchemas(): Record<string, unknown> {
  const shared: Record<string, unknown> = {};
  const events = Object.entries(jsonSchemas('draft-07')).map(([type, schema]) => {
    const { $schema, definitions, ...rest } = relocate(schema) as Record<string, unknown>;
    Object.assign(shared, definitions);
    return [type, rest];
  });
  return { ...Object.fromEntries(events), ...shared, ...SNS };
}

function relocate(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(relocate);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== '$id');
  return Object.fromEntries(
    entries.map(([key, value]) =>
      key === '$ref'
        ? [key, String(value).replace('#/definitions/', '#/components/schemas/')]
        : [key, relocate(value)],
    ),
  );
}

/** The fields of each SNS message. SNS may add fields at any time. */
const signed = {
  MessageId: text('The id of the SNS message, not of the event.'),
  TopicArn: text('The topic. Accept only your own: SNS also signs the messages of other accounts.'),
  Timestamp: { type: 'string', format: 'date-time' },
  SignatureVersion: { type: 'string', const: '2', description: 'RSA with SHA-256.' },
  Signature: text('Base64.'),
  SigningCertURL: {
    type: 'string',
    format: 'uri',
    description: 'Must be `https://sns.<region>.amazonaws.com/…`; check before you fetch it.',
  },
};

const attribute = (type: string, description: string) => ({
  type: 'object',
  description,
  required: ['Type', 'Value'],
  properties: { Type: { type: 'string', const: type }, Value: { type: 'string' } },
});

const handshake = (type: string, description: string) => ({
  type: 'object',
  description,
  required: ['Type', 'Message', 'Token', 'SubscribeURL', ...Object.keys(signed)],
  properties: {
    Type: { type: 'string', const: type },
    Message: text('Words for people.'),
    Token: { type: 'string' },
    SubscribeURL: { type: 'string', format: 'uri', description: 'A GET request confirms the subscription.' },
    ...signed,
  },
});

const SNS = {
  SnsNotification: {
    type: 'object',
    description: 'A message in the envelope of SNS.',
    required: ['Type', 'Message', ...Object.keys(signed)],
    properties: {
      Type: { type: 'string', const: 'Notification' },
      Message: {
        type: 'string',
        description: `The event, as JSON text: one of ${Object.keys(eventSchemas).join(', ')}.`,
        contentMediaType: 'application/json',
      },
      ...signed,
      UnsubscribeURL: { type: 'string', format: 'uri' },
      MessageAttributes: {
        type: 'object',
        description: 'What filter policies ask for.',
        required: ['eventType', 'workspace', 'processId'],
        properties: {
          eventType: attribute('String', "The event's type."),
          workspace: attribute('String', "The workspace's name."),
          processId: attribute('String', 'The process.'),
          projectId: attribute(
            'String',
            'The project. Absent in events about a process (`field.*`, `source.*`, `audit.recorded`), except `source.skipped`.',
          ),
          changedFields: attribute(
            'String.Array',
            'The fields in `changes`, as a JSON array. Absent without changes.',
          ),
        },
      },
    },
  },
  SnsSubscriptionConfirmation: handshake(
    'SubscriptionConfirmation',
    'The first message. SNS sends no events until its `SubscribeURL` is visited.',
  ),
  SnsUnsubscribeConfirmation: handshake('UnsubscribeConfirmation', 'The last message.'),
};
